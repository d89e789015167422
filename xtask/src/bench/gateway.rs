//! What the gateway costs: the same load on a mock provider directly and through the gateway, in turn.

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

/// Requests after which its memory is looked at.
const MANY: u64 = 100_000;

/// How long the gateway rests before that: what it needed for a moment has gone back to the system by then.
const REST: Duration = Duration::from_secs(2);

/// No load has more requests.
const MOST_OF_A_LOAD: u64 = 100_000_000;

/// Requests whose decisions are looked for in the log.
const FEW: u64 = 500;

/// The most seconds for each of these.
const PATIENCE: f64 = 300.0;

/// How long and how often each load is put on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) seconds: f64,
    pub(crate) rounds: usize,
}

/// Measures, prints the table, and writes it to docs/performance.md when asked to.
pub(crate) fn run(effort: Effort, write: bool, built: bool) -> Outcome {
    if !built {
        programs::build(true)?;
    }
    // On the disk that is built on: in memory, a log would wait for nothing.
    let folder = tempfile::tempdir_in(workspace::target())
        .map_err(|error| Failure::file("create a folder in", &workspace::target(), &error))?;
    let rows = measured(folder.path(), effort)?;
    let how = format!(
        "mock, gateway and load share the machine ({}); loads in turn, directly and through the gateway, {} rounds of \
         {} s, the median of the rounds; every request is a turn of its own, decided and recorded durably",
        busy(),
        effort.rounds,
        effort.seconds
    );
    let table = format!("{}\n\n{}", machine::describe(&how), table::table(&rows));
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
    let asked = Load { requests: Some(FEW), seconds: PATIENCE, warm_up: 0.0, ..Load::of("small-chat", 8) };
    let answered = asked.on(&first.url, None)?.requests;
    first.stop()?;
    recorded(&starts, answered)?;
    let gateway = programs::gateway(&home, &mock)?;
    let at = Place { mock: &mock, gateway: &gateway, effort, loads: Cell::new(0) };

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

/// What is resident after many requests, in an empty home: with a session for each, and in sessions as they are.
fn memory(folder: &Path, mock: &Running, rows: &mut Vec<Row>) -> Outcome {
    let many = Load { requests: Some(MANY), seconds: PATIENCE, warm_up: 0.0, ..Load::of("small-chat", 32) };
    let kinds = [("resident memory", None), ("resident memory, in sessions of 60,", Some(TURNS))];
    for (name, turns) in kinds {
        let home = folder.join(if turns.is_some() { "sessions" } else { "each" });
        fs::create_dir_all(&home).map_err(|error| Failure::file("create", &home, &error))?;
        let gateway = programs::gateway(&home, mock)?;
        let busy = Load { turns, ..many }.on(&gateway.url, Some(&gateway.pid()))?;
        std::thread::sleep(REST);
        let one = Load { requests: Some(1), turns, first: MANY, ..many };
        let rest = one.on(&gateway.url, Some(&gateway.pid()))?;
        rows.push(Row::memory(name, &busy, &rest, 60.0));
        gateway.stop()?;
    }
    Ok(())
}

/// Fails unless the log has a decision for each answer: figures of a gateway that records less would be worth nothing.
fn recorded(home: &Path, answered: u64) -> Outcome {
    let file = home.join("log.jsonl");
    capture(programs::turnwise(home).args(["events", "export"]).arg(&file))?;
    let text = workspace::read(&file)?;
    let decided = text.lines().filter(|line| line.contains("\"kind\":\"route.decided\"")).count() as u64;
    if decided == answered {
        return Ok(());
    }
    Err(Failure::new(format!("{answered} requests were answered and {decided} decisions recorded")))
}

/// Streams whose events come all at once, and slowly.
fn streams(at: &Place<'_>, rows: &mut Vec<Row>) -> Outcome {
    for (gap, how, connections) in [(0, "at once", 1), (GAP_MS, "2 ms apart", 8)] {
        at.mock.ask("/control/gap", Some(&gap.into()))?;
        let bodies =
            [("stream-chat", "chat"), ("stream-chat-usage", "chat with usage"), ("stream-messages", "Messages")];
        for (body, name) in bodies {
            let rounds = at.rounds(Load::of(body, connections))?;
            rows.push(Row::first_byte(&format!("{name} stream of 20 pieces {how}, first byte"), &rounds));
            rows.push(Row::added(&format!("{name} stream of 20 pieces {how}, last byte"), &rounds, table::NOT_SEEN));
        }
    }
    at.mock.ask("/control/gap", Some(&0.into())).map(drop)
}

/// What is measured, and how long.
struct Place<'a> {
    mock: &'a Running,
    gateway: &'a Running,
    effort: Effort,
    /// How many loads went through it.
    loads: Cell<u64>,
}

impl Place<'_> {
    /// The figures of each round: directly, and through the gateway.
    fn rounds(&self, load: Load) -> Outcome<Vec<(Figures, Figures)>> {
        let load = Load { seconds: self.effort.seconds, ..load };
        (0..self.effort.rounds).map(|_| Ok((load.on(&self.mock.url, None)?, self.through(load)?))).collect()
    }

    fn through(&self, load: Load) -> Outcome<Figures> {
        let before = self.loads.replace(self.loads.get() + 1);
        Load { first: before * MOST_OF_A_LOAD, ..load }.on(&self.gateway.url, Some(&self.gateway.pid()))
    }
}

/// How busy the machine is with other things, so that nobody believes figures of a busy one.
fn busy() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let minute = load.split(' ').next().filter(|minute| !minute.is_empty());
    minute.map_or_else(|| "its load is unknown".to_owned(), |minute| format!("load {minute} at the end"))
}
