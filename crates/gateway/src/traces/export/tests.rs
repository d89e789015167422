//! Turns exported after a resume.

use std::collections::BTreeSet;

use adapters::http_client;
use contracts::{
    TurnId,
    events::{TurnEnded, TurnStarted},
};
use event_bus::{EventLog, Expected, MemoryLog, Reactor as _};
use event_core::{EventId, EventType, Position, Timestamp};
use test_events::turn_event;

use super::Exporter;
use crate::configuration::{Collector, Configuration, Timeouts, TracesEntry};

/// Returns the id of the turn with a number.
fn turn(number: u64) -> TurnId {
    TurnId(EventId::derive(&[&number.to_be_bytes()]))
}

/// Appends an event of a turn to the log and makes it durable.
fn record<E: EventType>(log: &MemoryLog, turn: TurnId, event: &E) {
    let sealed = turn_event(turn, 0, Timestamp(1), event);
    log.append(Expected::Any, Timestamp(1), &[sealed]).unwrap();
    log.sync().unwrap();
}

/// Records the start of the turn with a number.
fn begin(log: &MemoryLog, number: u64) {
    record(log, turn(number), &TurnStarted { turn: turn(number), ..TurnStarted::sample() });
}

/// Records the end of the turn with a number.
fn end(log: &MemoryLog, number: u64) {
    record(log, turn(number), &TurnEnded { turn: turn(number), ..TurnEnded::sample() });
}

/// Creates an exporter for a collector at which nothing listens.
fn exporter() -> Exporter {
    let traces = Some(TracesEntry { endpoint: Some("http://127.0.0.1:4318".to_owned()), headers_env: None });
    let configuration = Configuration { traces, ..Configuration::default() };
    let collector = Collector::new(&configuration, |_| None).unwrap().unwrap();
    Exporter::new(http_client(Timeouts::default().connect(), 4, |_| ()).unwrap(), collector)
}

/// Folds the events after a position and returns the trace ids of their spans.
fn exported(exporter: &mut Exporter, log: &MemoryLog, after: Position) -> Vec<String> {
    let events = log.read_after(after, usize::MAX).unwrap();
    exporter.fold(&events).into_iter().map(|span| span.trace).collect()
}

#[test]
fn turns_that_ended_before_are_not_exported_and_one_that_runs_across_a_restart_is_complete() {
    let log = MemoryLog::new();
    begin(&log, 1);
    end(&log, 1);
    begin(&log, 2);
    let handled = log.head().unwrap();
    end(&log, 2);
    begin(&log, 3);
    let mut exporter = exporter();
    exporter.resume(&log, handled).unwrap();
    assert_eq!(exported(&mut exporter, &log, handled), [turn(2).to_string()]);
    assert!(exported(&mut exporter, &log, handled).is_empty(), "a retry brings events that are folded already");
    end(&log, 3);
    assert_eq!(exported(&mut exporter, &log, handled), [turn(3).to_string()]);
}

#[test]
fn turns_that_ended_after_the_last_position_handled_are_exported_at_the_next_start() {
    let log = MemoryLog::new();
    (0..3).for_each(|number| begin(&log, number));
    let handled = log.head().unwrap();
    (0..3).for_each(|number| end(&log, number));
    let mut exporter = exporter();
    exporter.resume(&log, handled).unwrap();
    let traces: BTreeSet<_> = exported(&mut exporter, &log, handled).into_iter().collect();
    assert_eq!(traces.len(), 3);
}
