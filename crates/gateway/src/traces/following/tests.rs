//! How far the log is read, and which of its turns are told of.

use std::sync::Arc;

use contracts::{
    TurnId,
    events::{DocumentedEvent as _, TurnEnded, TurnStarted},
};
use event_bus::{EventLog, Expected, MemoryLog};
use event_core::{Event, EventId, NewEvent, Position, Timestamp};

use super::{Batch, Following};

fn turn(number: u64) -> TurnId {
    TurnId(EventId::derive(&[&number.to_be_bytes()]))
}

fn record<E: Event>(log: &MemoryLog, turn: TurnId, event: &E) {
    let sealed = NewEvent::new(turn.0.then(E::KIND, 0), Timestamp(1), turn.0, event).unwrap();
    log.append(Expected::Any, Timestamp(1), &[sealed]).unwrap();
    log.sync().unwrap();
}

fn begin(log: &MemoryLog, number: u64) {
    record(log, turn(number), &TurnStarted { turn: turn(number), ..TurnStarted::sample() });
}

fn end(log: &MemoryLog, number: u64) {
    record(log, turn(number), &TurnEnded { turn: turn(number), ..TurnEnded::sample() });
}

/// The traces of the next batch.
fn next(following: &mut Following) -> Vec<String> {
    let mut batch = Batch::default();
    following.read(&mut batch).unwrap();
    assert_eq!(batch.turns, batch.spans.len(), "these turns have one span each");
    batch.spans.into_iter().map(|span| span.trace).collect()
}

fn traces(numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
    numbers.into_iter().map(|number| turn(number).to_string()).collect()
}

#[test]
fn what_ended_before_is_not_told_and_what_ran_over_a_restart_is_whole() {
    let log = Arc::new(MemoryLog::new());
    begin(&log, 1);
    end(&log, 1);
    begin(&log, 2);
    let head = log.head().unwrap();
    end(&log, 2);
    begin(&log, 3);
    let mut following = Following::new(Arc::clone(&log) as Arc<dyn EventLog>, head);
    assert_eq!(next(&mut following), traces([2]));
    assert!(next(&mut following).is_empty());
    end(&log, 3);
    assert_eq!(next(&mut following), traces([3]));
}

#[test]
fn a_batch_is_bounded_and_the_next_goes_on_where_it_ended() {
    let log = Arc::new(MemoryLog::new());
    for number in 0..150 {
        begin(&log, number);
        end(&log, number);
    }
    let mut following = Following::new(Arc::clone(&log) as Arc<dyn EventLog>, Position::ORIGIN);
    assert_eq!(next(&mut following), traces(0..64));
    assert_eq!(next(&mut following), traces(64..128));
    assert_eq!(next(&mut following), traces(128..150));
}
