//! Measures the gateway: the same load on a mock provider, directly and through the gateway alternating.

pub(crate) mod load;
mod table;

use std::{cell::Cell, fs, path::Path, time::Duration};

use crate::{
    clients::programs::{self, Running},
    failure::{Failure, Outcome},
    program::capture,
    workspace,
};
use load::{Figures, Load, TURNS};
use table::Row;

use super::{machine, page};

/// Milliseconds between the events of a slow stream.
const GAP_MS: u64 = 2;

/// Number of requests before memory is measured.
const MEMORY_REQUESTS: u64 = 100_000;

/// Pause before memory is measured: the allocator has returned free pages by then.
const PAUSE: Duration = Duration::from_secs(2);

/// Distance between the first request numbers of two loads; larger than any load.
const NUMBERS_PER_LOAD: u64 = 100_000_000;

/// Number of requests whose decisions are counted in the log.
const RECORDED_REQUESTS: u64 = 500;

/// Time limit of a load with a number of requests, in seconds.
const LOAD_TIMEOUT: f64 = 300.0;

/// The extent of a measurement: the seconds of each load, and how many rounds of it are run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) seconds: f64,
    pub(crate) rounds: usize,
}

/// Measures and prints the table; `write` also writes it to docs/performance.md. `built` skips the build.
pub(crate) fn run(effort: Effort, write: bool, built: bool) -> Outcome {
    if !built {
        programs::build(true)?;
    }
    // On the disk of the build: a file system in memory would make syncs free.
    let folder = tempfile::tempdir_in(workspace::target())
        .map_err(|error| Failure::file("create a folder in", &workspace::target(), &error))?;
    let rows = measured(folder.path(), effort)?;
    let method = format!(
        "mock, gateway and load share the machine ({}); loads directly and through the gateway alternating, {} rounds of \
         {} s, the median of the rounds; every request is a turn of its own, decided and recorded durably",
        machine_load(),
        effort.rounds,
        effort.seconds
    );
    let table = format!("{}\n\n{}", machine::describe(&method), table::table(&rows));
    println!("\n{table}");
    if write {
        super::write(&page::GATEWAY, &table)?;
    }
    Ok(())
}

fn measured(folder: &Path, effort: Effort) -> Outcome<Vec<Row>> {
    let starts = folder.join("starts");
    let home = folder.join("home");
    for folder in [&starts, &home] {
        fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    }
    let mock = programs::mock(&["--plain"])?;
    let first = programs::gateway(&starts, &mock)?;
    let mut rows = vec![Row::ready("ready, in an empty home", first.ready)];
    let asked =
        Load { requests: Some(RECORDED_REQUESTS), seconds: LOAD_TIMEOUT, warm_up: 0.0, ..Load::of("small-chat", 8) };
    let answered = asked.on(&first.url, None)?.requests;
    first.stop()?;
    check_decisions(&starts, answered)?;
    let gateway = programs::gateway(&home, &mock)?;
    let at = Setup { mock: &mock, gateway: &gateway, effort, loads: Cell::new(0) };

    let one = at.rounds(Load::of("small-chat", 1))?;
    rows.push(Row::added("small chat, added at the median, 1 connection", &one, 150.0));
    rows.push(Row::processor("small chat, processor time, 1 connection", &one, 120.0));
    let many = at.rounds(Load::of("small-chat", 32))?;
    rows.push(Row::processor("small chat, processor time, 32 connections", &many, 120.0));
    rows.push(Row::rate("small chat, 32 connections", &many, 10_000.0));
    rows.push(Row::added(
        "small Messages, added at the median, 1 connection",
        &at.rounds(Load::of("small-messages", 1))?,
        150.0,
    ));
    let agent = at.rounds(Load::of("agent-messages", 1))?;
    rows.push(Row::processor("Messages of 90 kB, streamed, processor time, 1 connection", &agent, 400.0));
    rows.push(Row::added("Messages of 90 kB, streamed, added at the median", &agent, f64::INFINITY));
    let agents = at.rounds(Load::of("agent-messages", 16))?;
    rows.push(Row::processor("Messages of 90 kB, streamed, processor time, 16 connections", &agents, 400.0));
    streams(&at, &mut rows)?;
    let long = at.rounds(Load { turns: Some(TURNS), ..Load::of("small-chat", 32) })?;
    rows.push(Row::processor("small chat in sessions of 60, processor time, 32 connections", &long, f64::INFINITY));
    gateway.stop()?;
    let again = programs::gateway(&home, &mock)?;
    rows.push(Row::ready("ready, with the log of all these requests", again.ready));
    again.stop()?;
    memory(folder, &mock, &mut rows)?;
    Ok(rows)
}

/// Resident memory after [`MEMORY_REQUESTS`] in an empty home: one session per request, and sessions of [`TURNS`].
fn memory(folder: &Path, mock: &Running, rows: &mut Vec<Row>) -> Outcome {
    let many =
        Load { requests: Some(MEMORY_REQUESTS), seconds: LOAD_TIMEOUT, warm_up: 0.0, ..Load::of("small-chat", 32) };
    let kinds = [("resident memory", None), ("resident memory, in sessions of 60,", Some(TURNS))];
    for (name, turns) in kinds {
        let home = folder.join(if turns.is_some() { "sessions" } else { "each" });
        fs::create_dir_all(&home).map_err(|error| Failure::file("create", &home, &error))?;
        let gateway = programs::gateway(&home, mock)?;
        let under_load = Load { turns, ..many }.on(&gateway.url, Some(&gateway.pid()))?;
        std::thread::sleep(PAUSE);
        let one = Load { requests: Some(1), turns, first: MEMORY_REQUESTS, ..many };
        let idle = one.on(&gateway.url, Some(&gateway.pid()))?;
        rows.push(Row::memory(name, &under_load, &idle, 60.0));
        gateway.stop()?;
    }
    Ok(())
}

/// Fails unless the log has one decision for every response; a gateway that records less must not be measured.
fn check_decisions(home: &Path, answered: u64) -> Outcome {
    let file = home.join("log.jsonl");
    capture(programs::turnwise(home).args(["events", "export"]).arg(&file))?;
    let text = workspace::read(&file)?;
    let decided = text.lines().filter(|line| line.contains("\"kind\":\"route.decided\"")).count() as u64;
    if decided == answered {
        return Ok(());
    }
    Err(Failure::new(format!("{answered} requests were answered and {decided} decisions recorded")))
}

/// Measures streams without a pause between their events, and with one.
fn streams(at: &Setup<'_>, rows: &mut Vec<Row>) -> Outcome {
    for (gap, how, connections) in [(0, "at once", 1), (GAP_MS, "2 ms apart", 8)] {
        at.mock.ask("/control/gap", Some(&gap.into()))?;
        let bodies =
            [("stream-chat", "chat"), ("stream-chat-usage", "chat with usage"), ("stream-messages", "Messages")];
        for (body, name) in bodies {
            let rounds = at.rounds(Load::of(body, connections))?;
            rows.push(Row::first_byte(&format!("{name} stream of 20 chunks {how}, first byte"), &rounds));
            rows.push(Row::added(
                &format!("{name} stream of 20 chunks {how}, last byte"),
                &rounds,
                table::STREAM_LIMIT,
            ));
        }
    }
    at.mock.ask("/control/gap", Some(&0.into())).map(drop)
}

/// The programs under measurement, and the effort.
struct Setup<'a> {
    mock: &'a Running,
    gateway: &'a Running,
    effort: Effort,
    /// Number of loads sent through the gateway so far.
    loads: Cell<u64>,
}

impl Setup<'_> {
    /// Runs a load in rounds. Returns the figures of each: directly, and through the gateway.
    fn rounds(&self, load: Load) -> Outcome<Vec<(Figures, Figures)>> {
        let load = Load { seconds: self.effort.seconds, ..load };
        (0..self.effort.rounds).map(|_| Ok((load.on(&self.mock.url, None)?, self.through_gateway(load)?))).collect()
    }

    fn through_gateway(&self, load: Load) -> Outcome<Figures> {
        let before = self.loads.replace(self.loads.get() + 1);
        Load { first: before * NUMBERS_PER_LOAD, ..load }.on(&self.gateway.url, Some(&self.gateway.pid()))
    }
}

/// The load average of the machine: figures of a busy machine are not comparable.
fn machine_load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let minute = load.split(' ').next().filter(|minute| !minute.is_empty());
    minute.map_or_else(|| "load unknown".to_owned(), |minute| format!("load {minute} at the end"))
}
