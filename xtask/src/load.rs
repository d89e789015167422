//! Many streams through the gateway at once, and whether the log holds every one of them.

mod killed;

use std::{fs, path::Path};

use serde_json::json;

use crate::{
    bench::gateway::load::{Figures, Load},
    clients::{
        log::Log,
        programs::{self, Running},
    },
    failure::{Failure, Outcome},
    passed::Passed,
    workspace,
};

/// Every client gets the model that it asks for.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: default }\n";

/// The most streams at once.
const AT_ONCE: usize = 500;

/// Milliseconds between the events of a stream, so that they are open at the same time.
const GAP: &str = "10";

/// Requests before memory is looked at, at the beginning and at the end.
const EDGE: u64 = 1_000;

/// The most seconds for a part of the streams.
const PATIENCE: f64 = 300.0;

/// Puts so many streams through a gateway, then kills others in mid-stream so many times.
pub(crate) fn run(streams: u64, kills: usize, built: bool) -> Outcome<Passed> {
    if !built {
        programs::build(true)?;
    }
    // On the disk that is built on: in memory, a log would lose nothing.
    let folder = tempfile::tempdir_in(workspace::target())
        .map_err(|error| Failure::file("create a folder in", &workspace::target(), &error))?;
    let [many, killed] = ["many", "killed"].map(|name| folder.path().join(name));
    for home in [&many, &killed] {
        fs::create_dir_all(home).map_err(|error| Failure::file("create", home, &error))?;
        workspace::write(&home.join("routing.yaml"), POLICY)?;
    }
    let all = through(&many, streams)?;
    let kept = killed::run(&killed, kills)?;
    Ok(Passed::noting(format!("{all}; {kept}")))
}

fn through(home: &Path, streams: u64) -> Outcome<String> {
    let mock = programs::mock(&["--plain", "--gap", GAP])?;
    let gateway = programs::gateway(home, &mock)?;
    let edge = EDGE.min(streams / 3).max(1);
    let first = part(home, &gateway, "first", edge)?;
    let middle = part(home, &gateway, "middle", streams.saturating_sub(2 * edge))?;
    let last = part(home, &gateway, "last", edge)?;
    let answered = first.requests + middle.requests + last.requests;
    println!(
        "load: {answered} streams answered, up to {} at once, {:.0} each second, first byte at the median {:.1} ms",
        at_once(),
        middle.rps,
        middle.first_byte / 1_000.0
    );
    println!(
        "load: the gateway holds {:.1} MB after the first {edge}, {:.1} MB after the last {edge}; each is a session of its own",
        first.resident_kb / 1_024.0,
        last.resident_kb / 1_024.0
    );
    gateway.stop()?;
    let log = Log::exported(home)?;
    println!("load: `events verify` finds nothing wrong");
    let mut wrong = Vec::new();
    for kind in ["turn.started", "route.decided", "llm.call_completed", "turn.ended"] {
        let (events, turns) = (log.all(kind).count() as u64, log.counted(kind, "turn").len() as u64);
        println!("load: {events} {kind} of {turns} turns");
        if events != answered || turns != answered {
            wrong.push(format!("{events} {kind} of {turns} turns, and {answered} streams were answered"));
        }
    }
    wrong.extend(log.all("llm.call_failed").take(5).map(|data| format!("a failed call: {data}")));
    Failure::unless_empty("things wrong in the log", &wrong)?;
    Ok(format!("{answered} streams are in the log"))
}

/// So many streams, each a turn that nobody asked for before.
fn part(home: &Path, gateway: &Running, name: &str, requests: u64) -> Outcome<Figures> {
    let file = home.join(format!("{name}.json"));
    // The load writes a number of twelve digits over the mark.
    workspace::write(&file, &body(&format!("The {name} part, question %NUMBER%####.")))?;
    let load = Load::of("stream-messages", at_once());
    let load = Load { requests: Some(requests), seconds: PATIENCE, warm_up: 0.0, ..load };
    load.with(&gateway.url, Some(&gateway.pid()), Some(&file))
}

/// A request of the Messages API for a stream.
fn body(text: &str) -> String {
    let messages = json!([{"role": "user", "content": text}]);
    json!({"model": "claude-opus-4-8", "max_tokens": 1024, "stream": true, "messages": messages}).to_string()
}

/// How many streams may be open at once: the gateway has two connections for each, and other files too.
fn at_once() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let files = files.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(256_usize);
    (files.saturating_sub(100) / 3).clamp(1, AT_ONCE)
}
