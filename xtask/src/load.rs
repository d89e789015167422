//! Sends many concurrent streams through the gateway and checks that the log contains every one.

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

/// Requested models are used.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: default }\n";

/// The maximum number of concurrent streams.
const MAX_CONCURRENT: usize = 500;

/// Milliseconds between the events of a stream, so that many are open at the same time.
const GAP: &str = "10";

/// Number of requests in the first and the last part, after each of which memory is measured.
const MEASURED_PART: u64 = 1_000;

/// Time limit for each part, in seconds.
const PART_TIMEOUT: f64 = 300.0;

/// Sends `streams` through a gateway, then kills another one `kills` times while it serves streams.
pub(crate) fn run(streams: u64, kills: usize, built: bool) -> Outcome<Passed> {
    if !built {
        programs::build(true)?;
    }
    // On the disk of the build: a kill loses nothing in a file system in memory.
    let folder = tempfile::tempdir_in(workspace::target())
        .map_err(|error| Failure::file("create a folder in", &workspace::target(), &error))?;
    let [many, killed] = ["many", "killed"].map(|name| folder.path().join(name));
    for home in [&many, &killed] {
        fs::create_dir_all(home).map_err(|error| Failure::file("create", home, &error))?;
        workspace::write(&home.join("routing.yaml"), POLICY)?;
    }
    let all = concurrent_streams(&many, streams)?;
    let kept = killed::run(&killed, kills)?;
    Ok(Passed::noting(format!("{all}; {kept}")))
}

/// Sends the streams and compares the log with the number of responses. Returns a summary.
fn concurrent_streams(home: &Path, streams: u64) -> Outcome<String> {
    let mock = programs::mock(&["--plain", "--gap", GAP])?;
    let gateway = programs::gateway(home, &mock)?;
    let edge = MEASURED_PART.min(streams / 3).max(1);
    let first = part(home, &gateway, "first", edge)?;
    let middle = part(home, &gateway, "middle", streams.saturating_sub(2 * edge))?;
    let last = part(home, &gateway, "last", edge)?;
    let answered = first.requests + middle.requests + last.requests;
    println!(
        "load: {answered} streams answered, up to {} concurrent, {:.0} per second, median first byte {:.1} ms",
        concurrency(),
        middle.rps,
        middle.first_byte / 1_000.0
    );
    println!(
        "load: resident memory {:.1} MB after the first {edge}, {:.1} MB after the last {edge}; one session per stream",
        first.resident_kb / 1_024.0,
        last.resident_kb / 1_024.0
    );
    gateway.stop()?;
    let log = Log::exported(home)?;
    println!("load: `events verify` found no problem");
    let mut wrong = Vec::new();
    for kind in ["turn.started", "route.decided", "llm.call_completed", "turn.ended"] {
        let (events, turns) = (log.all(kind).count() as u64, log.counted(kind, "turn").len() as u64);
        println!("load: {events} {kind} of {turns} turns");
        if events != answered || turns != answered {
            wrong.push(format!("{events} {kind} of {turns} turns, and {answered} streams were answered"));
        }
    }
    wrong.extend(log.all("llm.call_failed").take(5).map(|data| format!("a failed call: {data}")));
    Failure::unless_empty("problems in the log", &wrong)?;
    Ok(format!("{answered} streams are in the log"))
}

/// Sends one part of the streams, each with a message of its own.
fn part(home: &Path, gateway: &Running, name: &str, requests: u64) -> Outcome<Figures> {
    let file = home.join(format!("{name}.json"));
    // The load generator overwrites the placeholder with a number of twelve digits.
    workspace::write(&file, &body(&format!("The {name} part, question %NUMBER%####.")))?;
    let load = Load::of("stream-messages", concurrency());
    let load = Load { requests: Some(requests), seconds: PART_TIMEOUT, warm_up: 0.0, ..load };
    load.with(&gateway.url, Some(&gateway.pid()), Some(&file))
}

/// The body of a streaming request of the Messages API.
fn body(text: &str) -> String {
    let messages = json!([{"role": "user", "content": text}]);
    json!({"model": "claude-opus-4-8", "max_tokens": 1024, "stream": true, "messages": messages}).to_string()
}

/// The number of concurrent streams that the limit of open files allows: the gateway needs two connections for each.
fn concurrency() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let files = files.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(256_usize);
    (files.saturating_sub(100) / 3).clamp(1, MAX_CONCURRENT)
}
