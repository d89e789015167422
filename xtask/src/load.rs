//! A load test: sends many concurrent streams through the gateway and checks that the log contains every one.

mod killed;

use std::{fs, path::Path};

use serde_json::json;

use crate::{
    bench::gateway::load::{Load, LoadFigures},
    clients::{
        log::Log,
        programs::{self, RunningProgram},
    },
    failure::{Failure, Outcome},
    passed::Passed,
    workspace,
};

/// A policy by which requested models are used.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: default }\n";

/// The greatest number of concurrent streams.
const MAX_CONCURRENT: usize = 500;

/// The delay between the events of a stream in milliseconds, as an argument of the mock. It keeps many streams open at
/// the same time.
const GAP_MS: &str = "10";

/// The number of requests in the first and in the last part of the load; memory is measured after each.
const EDGE_REQUESTS: u64 = 1_000;

/// The time limit for each part, in seconds.
const PART_TIMEOUT: f64 = 300.0;

/// Sends `streams` requests through a gateway, then kills another gateway `kills` times while it serves streams. Fails
/// if a request fails before a kill, or if the log lacks an event of an answered request. `skip_build` uses programs
/// built earlier.
pub(crate) fn run(streams: u64, kills: usize, skip_build: bool) -> Outcome<Passed> {
    if !skip_build {
        programs::build(true)?;
    }
    // On the disk of the build: a kill loses nothing in a file system in memory.
    let folder = tempfile::tempdir_in(workspace::target_folder())
        .map_err(|error| Failure::file("create a folder in", &workspace::target_folder(), &error))?;
    let [streams_home, kills_home] = ["many", "killed"].map(|name| folder.path().join(name));
    for home in [&streams_home, &kills_home] {
        fs::create_dir_all(home).map_err(|error| Failure::file("create", home, &error))?;
        workspace::write_file(&home.join("routing.yaml"), POLICY)?;
    }
    let streams_summary = concurrent_streams(&streams_home, streams)?;
    let kills_summary = killed::run(&kills_home, kills)?;
    Ok(Passed::with_note(format!("{streams_summary}; {kills_summary}")))
}

/// Sends the streams through a gateway and checks that its log has every turn, decision, call and end. Returns a
/// summary.
fn concurrent_streams(home: &Path, streams: u64) -> Outcome<String> {
    let mock = programs::start_mock(&["--plain", "--gap", GAP_MS])?;
    let gateway = programs::start_gateway(home, &mock)?;
    let edge_size = EDGE_REQUESTS.min(streams / 3).max(1);
    let first = send_part(home, &gateway, "first", edge_size)?;
    let middle = send_part(home, &gateway, "middle", streams.saturating_sub(2 * edge_size))?;
    let last = send_part(home, &gateway, "last", edge_size)?;
    let response_count = first.requests + middle.requests + last.requests;
    println!(
        "load: {response_count} streams answered, up to {} concurrent, {:.0} per second, median first byte {:.1} ms",
        concurrency(),
        middle.rps,
        middle.first_byte / 1_000.0
    );
    println!(
        "load: resident memory {:.1} MB after the first {edge_size}, {:.1} MB after the last {edge_size}; one session per stream",
        first.resident_kb / 1_024.0,
        last.resident_kb / 1_024.0
    );
    gateway.stop()?;
    let log = Log::export(home)?;
    println!("load: `events verify` found no problem");
    let mut problems = Vec::new();
    for kind in ["turn.started", "route.decided", "llm.call_completed", "turn.ended"] {
        let (events, turns) = (log.payloads(kind).count() as u64, log.count_by(kind, "turn").len() as u64);
        println!("load: {events} {kind} of {turns} turns");
        if events != response_count || turns != response_count {
            problems.push(format!("{events} {kind} of {turns} turns, and {response_count} streams were answered"));
        }
    }
    problems.extend(log.payloads("llm.call_failed").take(5).map(|data| format!("a failed call: {data}")));
    Failure::unless_empty("problems in the log", &problems)?;
    Ok(format!("{response_count} streams are in the log"))
}

/// Sends one part of the streams through the gateway, each with a different message. Writes the body of the requests to
/// `NAME.json` in the home folder.
fn send_part(home: &Path, gateway: &RunningProgram, name: &str, requests: u64) -> Outcome<LoadFigures> {
    let file = home.join(format!("{name}.json"));
    // The load generator overwrites the placeholder with a number of twelve digits.
    workspace::write_file(&file, &streaming_body(&format!("The {name} part, question %NUMBER%####.")))?;
    let load = Load::new("stream-messages", concurrency());
    let load = Load { requests: Some(requests), seconds: PART_TIMEOUT, warm_up: 0.0, ..load };
    load.run_with_body(&gateway.url, Some(&gateway.pid()), Some(&file))
}

/// Returns the body of a streaming request of the Messages API.
fn streaming_body(text: &str) -> String {
    let messages = json!([{"role": "user", "content": text}]);
    json!({"model": "claude-opus-4-8", "max_tokens": 1024, "stream": true, "messages": messages}).to_string()
}

/// Returns the number of concurrent streams that the limit of open files allows: the gateway needs two connections for
/// each.
fn concurrency() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let files = files.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(256_usize);
    (files.saturating_sub(100) / 3).clamp(1, MAX_CONCURRENT)
}
