//! Measures filling, opening, folding and rebuilding a large log.

use std::{path::Path, time::Instant};

use event_bus::{EventLog, Expected, JournalReader, MAX_BATCH_EVENTS, SledLog, fold, save};
use event_core::{NewEvent, Position, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    Outcome,
    event::new_event,
    process::{peak_megabytes, processor_micros},
    row,
};

/// Number of events after the checkpoint, which a resumed projection folds.
const TAIL: u64 = 10_000;

/// A projection that counts events and the bytes of their payloads.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Bytes {
    /// Number of events.
    events: u64,
    /// Size of their payloads, in bytes.
    bytes: u64,
}

impl Projection for Bytes {
    const NAME: &'static str = "measure.bytes";
    const VERSION: u32 = 1;

    type Events = ();
    type Folded<'a> = ();

    fn apply(&mut self, (): (), event: &Recorded) {
        self.events += 1;
        self.bytes += event.event.payload.len() as u64;
    }
}

/// Appends the events with these numbers in full batches, with a barrier for each.
fn append(log: &SledLog, numbers: std::ops::Range<u64>) -> Outcome {
    let numbers: Vec<u64> = numbers.collect();
    for batch in numbers.chunks(MAX_BATCH_EVENTS) {
        let batch: Vec<NewEvent> = batch.iter().map(|number| new_event(0, *number)).collect();
        log.append(Expected::Any, Timestamp(0), &batch)?;
        log.sync()?;
    }
    Ok(())
}

/// Appends `events` events to the log in `directory` by one producer with full batches, and saves a checkpoint [`TAIL`]
/// events before the end. Prints a row.
pub(crate) fn fill(directory: &Path, events: u64) -> Outcome {
    let (log, _) = SledLog::open(directory)?;
    let (begun, processor) = (Instant::now(), processor_micros());
    append(&log, 0..events.saturating_sub(TAIL))?;
    let state = fold::<Bytes>(&log)?;
    save(&log, &state)?;
    append(&log, events.saturating_sub(TAIL)..events)?;
    let (elapsed, processor) = (begun.elapsed(), processor_micros() - processor);
    let rate = events as f64 / elapsed.as_secs_f64();
    let figure = format!(
        "{rate:.0} events/s, {:.1} µs of processor each, {} MB at most",
        processor as f64 / events as f64,
        peak_megabytes()
    );
    row(&format!("fill: {events} events in batches of {MAX_BATCH_EVENTS}"), &figure, &[]);
    Ok(())
}

/// Measures opening the log in `directory`, folding a projection from the first event and from its checkpoint, finding
/// events by id, and opening the log for reading only. Prints a row for each.
pub(crate) fn open(directory: &Path) -> Outcome {
    let begun = Instant::now();
    let (log, repairs) = SledLog::open(directory)?;
    let opening_time = begun.elapsed();
    if let Some(repair) = repairs.first() {
        return Err(format!("the log was repaired: {repair}").into());
    }
    let events = log.head()?.0;
    let fold_start = Instant::now();
    let mut state = event_core::Projected::<Bytes>::default();
    let mut position = Position::ORIGIN;
    loop {
        let events_read = log.read_after(position, 1_024)?;
        let Some(last) = events_read.last() else { break };
        position = last.position;
        events_read.iter().try_for_each(|event| state.advance(event))?;
    }
    let (fold_seconds, total_seconds) = (fold_start.elapsed().as_secs_f64(), begun.elapsed().as_secs_f64());
    let peak = peak_megabytes();
    row(
        &format!("open {events} events, every frame and the chain checked, and rebuild a projection"),
        &format!("{total_seconds:.2} s ({:.2} s to open), {peak} MB at most", opening_time.as_secs_f64()),
        &[("5 s", total_seconds <= 5.0), ("200 MB", peak <= 200)],
    );
    let rate = events as f64 / fold_seconds;
    row(
        "fold: a projection from nothing, one core",
        &format!("{rate:.0} events/s"),
        &[("500,000 events/s", 5e5 <= rate)],
    );
    let begun = Instant::now();
    let projection = fold::<Bytes>(&log)?;
    if projection.state().events != events {
        return Err("a resumed projection differs from one built from nothing".into());
    }
    row(
        &format!("resume: from a state saved {TAIL} events before the end"),
        &format!("{:.1} ms", begun.elapsed().as_secs_f64() * 1e3),
        &[],
    );
    let begun = Instant::now();
    let step = events / 10_000;
    for number in 0..10_000 {
        if log.find(new_event(0, number * step).id)?.is_none() {
            return Err("an event is not found by its id".into());
        }
    }
    row("find an event by its id", &format!("{:.1} µs", begun.elapsed().as_secs_f64() * 100.0), &[]);
    drop(log);
    let begun = Instant::now();
    let reader = JournalReader::open(directory)?;
    let opening_time = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    reader.read_after(Position(reader.head()?.0.saturating_sub(50)), 50)?;
    row(
        "open for reading only, and read the last 50",
        &format!("{opening_time:.2} s, and {:.0} µs", begun.elapsed().as_secs_f64() * 1e6),
        &[],
    );
    Ok(())
}

/// Removes the index of the log in `directory`, and measures opening the log, which rebuilds the index from the
/// journal. Prints a row.
pub(crate) fn rebuild(directory: &Path) -> Outcome {
    std::fs::remove_dir_all(directory.join("index"))?;
    let begun = Instant::now();
    let (log, repairs) = SledLog::open(directory)?;
    let elapsed = begun.elapsed().as_secs_f64();
    let (events, repairs) = (log.head()?.0 as f64, repairs.len());
    let figure = format!(
        "{elapsed:.1} s, {:.0} events/s, {} MB at most, {repairs} repair told",
        events / elapsed,
        peak_megabytes()
    );
    row("open with a lost index, which is built again", &figure, &[]);
    Ok(())
}
