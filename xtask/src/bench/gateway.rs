//! Measures the gateway: the same load on a mock provider, alternately directly and through the gateway.

pub(crate) mod load;
mod table;

use std::{cell::Cell, fs, path::Path, time::Duration};

use crate::{
    clients::programs::{self, RunningProgram},
    failure::{Failure, Outcome},
    program::capture_output,
    workspace,
};
use load::{Load, LoadFigures, TURNS_PER_SESSION};
use table::Row;

use super::{machine, page};

/// The delay between the events of a slow stream in milliseconds.
const GAP_MS: u64 = 2;

/// The number of requests before memory is measured.
const MEMORY_REQUESTS: u64 = 100_000;

/// The pause before memory is measured, in which the allocator returns free pages.
const IDLE_PAUSE: Duration = Duration::from_secs(2);

/// The difference between the first request numbers of two loads; larger than any load, so that no message repeats.
const NUMBERS_PER_LOAD: u64 = 100_000_000;

/// The number of requests whose decisions are counted in the log.
const RECORDED_REQUESTS: u64 = 500;

/// The time limit, in seconds, of a load that has a number of requests.
const LOAD_TIMEOUT: f64 = 300.0;

/// The duration and the number of repetitions of each load in a measurement of the gateway.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// The duration of one round, in seconds.
    pub(crate) seconds: f64,
    /// The number of rounds, each directly and through the gateway.
    pub(crate) rounds: usize,
}

/// Measures the gateway and prints the table of results; `write` also writes it to docs/performance.md. `skip_build`
/// uses programs built earlier.
pub(crate) fn run(effort: Effort, write: bool, skip_build: bool) -> Outcome {
    if !skip_build {
        programs::build(true)?;
    }
    // On the disk of the build: a file system in memory would make syncs free.
    let folder = tempfile::tempdir_in(workspace::target_folder())
        .map_err(|error| Failure::file("create a folder in", &workspace::target_folder(), &error))?;
    let rows = measure_rows(folder.path(), effort)?;
    let method = format!(
        "mock, gateway and load share the machine ({}); loads directly and through the gateway alternating, {} rounds of \
         {} s, the median of the rounds; every request is a turn of its own, decided and recorded durably",
        machine_load(),
        effort.rounds,
        effort.seconds
    );
    let table = format!("{}\n\n{}", machine::describe(&method), table::format_table(&rows));
    println!("\n{table}");
    if write {
        super::write(&page::GATEWAY, &table)?;
    }
    Ok(())
}

/// Measures all rows of the table; `folder` receives the homes of the gateways. Also checks that the gateway records
/// every decision.
fn measure_rows(folder: &Path, effort: Effort) -> Outcome<Vec<Row>> {
    let starts = folder.join("starts");
    let home = folder.join("home");
    for folder in [&starts, &home] {
        fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    }
    let mock = programs::start_mock(&["--plain"])?;
    let first_gateway = programs::start_gateway(&starts, &mock)?;
    let mut rows = vec![Row::ready("ready, in an empty home", first_gateway.ready_after)];
    let recorded_load =
        Load { requests: Some(RECORDED_REQUESTS), seconds: LOAD_TIMEOUT, warm_up: 0.0, ..Load::new("small-chat", 8) };
    let response_count = recorded_load.run(&first_gateway.url, None)?.requests;
    first_gateway.stop()?;
    check_decisions(&starts, response_count)?;
    let gateway = programs::start_gateway(&home, &mock)?;
    let setup = Setup { mock: &mock, gateway: &gateway, effort, loads: Cell::new(0) };

    let one_connection = setup.run_rounds(Load::new("small-chat", 1))?;
    rows.push(Row::added("small chat, added at the median, 1 connection", &one_connection, 150.0));
    rows.push(Row::processor("small chat, processor time, 1 connection", &one_connection, 120.0));
    let many_connections = setup.run_rounds(Load::new("small-chat", 32))?;
    rows.push(Row::processor("small chat, processor time, 32 connections", &many_connections, 120.0));
    rows.push(Row::rate("small chat, 32 connections", &many_connections, 10_000.0));
    rows.push(Row::added(
        "small Messages, added at the median, 1 connection",
        &setup.run_rounds(Load::new("small-messages", 1))?,
        150.0,
    ));
    let agent = setup.run_rounds(Load::new("agent-messages", 1))?;
    rows.push(Row::processor("Messages of 90 kB, streamed, processor time, 1 connection", &agent, 400.0));
    rows.push(Row::added("Messages of 90 kB, streamed, added at the median", &agent, f64::INFINITY));
    let agents = setup.run_rounds(Load::new("agent-messages", 16))?;
    rows.push(Row::processor("Messages of 90 kB, streamed, processor time, 16 connections", &agents, 400.0));
    measure_streams(&setup, &mut rows)?;
    let long_sessions = setup.run_rounds(Load { turns: Some(TURNS_PER_SESSION), ..Load::new("small-chat", 32) })?;
    rows.push(Row::processor(
        "small chat in sessions of 60, processor time, 32 connections",
        &long_sessions,
        f64::INFINITY,
    ));
    gateway.stop()?;
    let restarted_gateway = programs::start_gateway(&home, &mock)?;
    rows.push(Row::ready("ready, with the log of all these requests", restarted_gateway.ready_after));
    restarted_gateway.stop()?;
    measure_memory(folder, &mock, &mut rows)?;
    Ok(rows)
}

/// Appends rows with the resident memory after [`MEMORY_REQUESTS`] requests in an empty home: with one session per
/// request, and with sessions of [`TURNS_PER_SESSION`] requests.
fn measure_memory(folder: &Path, mock: &RunningProgram, rows: &mut Vec<Row>) -> Outcome {
    let many_requests =
        Load { requests: Some(MEMORY_REQUESTS), seconds: LOAD_TIMEOUT, warm_up: 0.0, ..Load::new("small-chat", 32) };
    let kinds = [("resident memory", None), ("resident memory, in sessions of 60,", Some(TURNS_PER_SESSION))];
    for (name, turns) in kinds {
        let home = folder.join(if turns.is_some() { "sessions" } else { "each" });
        fs::create_dir_all(&home).map_err(|error| Failure::file("create", &home, &error))?;
        let gateway = programs::start_gateway(&home, mock)?;
        let under_load = Load { turns, ..many_requests }.run(&gateway.url, Some(&gateway.pid()))?;
        std::thread::sleep(IDLE_PAUSE);
        let single = Load { requests: Some(1), turns, first_number: MEMORY_REQUESTS, ..many_requests };
        let idle = single.run(&gateway.url, Some(&gateway.pid()))?;
        rows.push(Row::memory(name, &under_load, &idle, 60.0));
        gateway.stop()?;
    }
    Ok(())
}

/// Fails unless the log has one decision for every answered request, since a gateway that records less must not be
/// measured.
fn check_decisions(home: &Path, response_count: u64) -> Outcome {
    let file = home.join("log.jsonl");
    capture_output(programs::turnwise_command(home).args(["events", "export"]).arg(&file))?;
    let text = workspace::read_file(&file)?;
    let decision_count = text.lines().filter(|line| line.contains("\"kind\":\"route.decided\"")).count() as u64;
    if decision_count == response_count {
        return Ok(());
    }
    Err(Failure::new(format!("{response_count} requests were answered and {decision_count} decisions recorded")))
}

/// Appends rows with the latency until the first and the last byte of streams, without a delay between their events and
/// with [`GAP_MS`]. Resets the delay of the mock afterwards.
fn measure_streams(setup: &Setup<'_>, rows: &mut Vec<Row>) -> Outcome {
    for (gap, pace, connections) in [(0, "at once", 1), (GAP_MS, "2 ms apart", 8)] {
        setup.mock.request_json("/control/gap", Some(&gap.into()))?;
        let bodies =
            [("stream-chat", "chat"), ("stream-chat-usage", "chat with usage"), ("stream-messages", "Messages")];
        for (body, name) in bodies {
            let rounds = setup.run_rounds(Load::new(body, connections))?;
            rows.push(Row::first_byte(&format!("{name} stream of 20 chunks {pace}, first byte"), &rounds));
            rows.push(Row::added(
                &format!("{name} stream of 20 chunks {pace}, last byte"),
                &rounds,
                table::STREAM_LIMIT,
            ));
        }
    }
    setup.mock.request_json("/control/gap", Some(&0.into())).map(drop)
}

/// The running programs of a measurement, and its effort.
struct Setup<'a> {
    /// The mock provider.
    mock: &'a RunningProgram,
    /// The gateway in front of it.
    gateway: &'a RunningProgram,
    /// The duration and the number of rounds of each load.
    effort: Effort,
    /// The number of loads sent through the gateway so far.
    loads: Cell<u64>,
}

impl Setup<'_> {
    /// Sends a load in several rounds, each directly to the mock provider and through the gateway. Returns the results
    /// of each round in this order. Fails if any request fails.
    fn run_rounds(&self, load: Load) -> Outcome<Vec<(LoadFigures, LoadFigures)>> {
        let load = Load { seconds: self.effort.seconds, ..load };
        (0..self.effort.rounds)
            .map(|_| Ok((load.run(&self.mock.url, None)?, self.run_through_gateway(load)?)))
            .collect()
    }

    /// Runs a load through the gateway once, with messages that no earlier load sent, and measures the gateway's
    /// processor time and memory.
    fn run_through_gateway(&self, load: Load) -> Outcome<LoadFigures> {
        let load_index = self.loads.replace(self.loads.get() + 1);
        Load { first_number: load_index * NUMBERS_PER_LOAD, ..load }.run(&self.gateway.url, Some(&self.gateway.pid()))
    }
}

/// Returns the load average of the machine as text: results of a busy machine are not comparable.
fn machine_load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let minute = load.split(' ').next().filter(|minute| !minute.is_empty());
    minute.map_or_else(|| "load unknown".to_owned(), |minute| format!("load {minute} at the end"))
}
