//! Appends events until it is killed: `crash_writer DIR SEED`.
//!
//! Prints `POSITION ID` for each event when it is acknowledged. Several threads append batches of one to eight events;
//! some repeat recorded ids, which are acknowledged with their first positions. With an odd seed the journal is
//! preallocated, as behind a gateway.
#![expect(clippy::print_stdout, reason = "what is acknowledged is the output")]

use std::{
    error::Error,
    io::{self, Write as _},
    sync::{Arc, mpsc},
    thread,
};

use event_bus::{Appender, Bus, Expected, SledLog, SystemClock};
use event_core::{EventId, NewEvent, Position, Timestamp};

/// Number of threads that append concurrently.
const PRODUCERS: u64 = 8;

/// Opens the log in DIR and appends from several threads until an append fails; returns that error.
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(directory), Some(seed)) = (arguments.next(), arguments.next()) else {
        return Err("usage: crash_writer DIR SEED".into());
    };
    let seed: u64 = seed.parse()?;
    let (log, repairs) = SledLog::open(directory)?;
    for repair in repairs {
        println!("# {repair}");
    }
    let room = if seed.is_multiple_of(2) { 0 } else { 64 * 1024 };
    let bus = Bus::start(Appender::new(Arc::new(log.with_journal_preallocation(room)), SystemClock))?;
    let (failure_sender, failures) = mpsc::channel();
    for producer in 0..PRODUCERS {
        let (bus, failure_sender) = (bus.clone(), failure_sender.clone());
        let stream = seed.wrapping_mul(PRODUCERS).wrapping_add(producer);
        thread::spawn(move || failure_sender.send(produce(&bus, stream)));
    }
    Err(failures.recv()?.into())
}

/// Appends batches until an append fails, and returns the error. `stream` determines the events and the random choices.
fn produce(bus: &Bus, stream: u64) -> String {
    let mut random = stream;
    let mut next = 0;
    loop {
        // A step of a linear congruential generator: runs only need to differ.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let size = (random >> 60) % 8 + 1;
        let repeat = if (random >> 50).is_multiple_of(4) { size.min(next) } else { 0 };
        let batch: Vec<NewEvent> = (next - repeat..next - repeat + size).map(|number| event(stream, number)).collect();
        next = next - repeat + size;
        let ids: Vec<EventId> = batch.iter().map(|event| event.id).collect();
        let print_result = match bus.append_blocking(Expected::Any, batch) {
            Ok(appended) => say(&appended.positions, &ids),
            Err(error) => return error.to_string(),
        };
        if let Err(error) = print_result {
            return error.to_string();
        }
    }
}

/// Prints `POSITION ID` lines for a batch with a single write, so that lines of several producers do not mix and none
/// remain in a buffer.
fn say(positions: &[Position], ids: &[EventId]) -> io::Result<()> {
    let lines: String = positions
        .iter()
        .zip(ids)
        .fold(String::new(), |lines, (position, id)| lines + &position.to_string() + " " + &id.to_string() + "\n");
    let mut out = io::stdout().lock();
    out.write_all(lines.as_bytes())?;
    out.flush()
}

/// Creates event number `number` of a stream, with a payload of up to 399 bytes derived from both numbers.
fn event(stream: u64, number: u64) -> NewEvent {
    let id = EventId::derive(&[b"crash", &stream.to_le_bytes(), &number.to_le_bytes()]);
    NewEvent {
        id,
        at: Timestamp(number),
        correlation: EventId::derive(&[b"crash", &stream.to_le_bytes()]),
        causation: None,
        kind: "crash.written".into(),
        version: 1,
        payload: (0..number % 400).map(|index| (index ^ stream).to_le_bytes()[0]).collect(),
    }
}
