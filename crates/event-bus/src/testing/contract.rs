//! [`check_contract`], the contract of [`EventLog`] as a test that every implementation runs.
#![expect(clippy::unwrap_used, reason = "a violation of the contract panics, as in any test")]

use event_core::{Checkpoint, Position, Timestamp};

use super::events::{new_event, new_events};
use crate::{EventLog, Expected, LogError, MAX_BATCH_EVENTS};

/// Checks the contract of [`EventLog`] on an empty log. Afterwards the log has 262 events and some checkpoints.
///
/// # Panics
/// At the first violation.
pub fn check_contract(log: &dyn EventLog) {
    an_empty_log_ends_at_its_origin(log);
    a_batch_is_recorded_once_and_in_order(log);
    a_conflict_leaves_no_trace(log);
    time_does_not_run_backwards(log);
    what_is_too_large_is_refused_as_a_whole(log);
    a_restored_event_continues_the_log_or_is_refused(log);
    a_saved_state_reads_back(log);
}

/// Asserts that an empty log has the head [`Position::ORIGIN`] and no events, and that appending an empty batch does
/// not change that.
fn an_empty_log_ends_at_its_origin(log: &dyn EventLog) {
    assert_eq!(log.head().unwrap(), Position::ORIGIN);
    assert_eq!(log.read_after(Position::ORIGIN, 10).unwrap(), []);
    assert_eq!(log.find(new_event(1).id).unwrap(), None);
    assert_eq!(log.append(Expected::Any, Timestamp(1), &[]).unwrap().head, Position::ORIGIN);
}

/// Asserts that events get consecutive positions and are visible after the disk sync. Ids that are staged or recorded
/// are not stored again, and a batch of recorded ids is a retry.
fn a_batch_is_recorded_once_and_in_order(log: &dyn EventLog) {
    let batch = [new_event(1), new_event(2), new_event(1)];
    let appended = log.append(Expected::At(Position::ORIGIN), Timestamp(5), &batch).unwrap();
    assert_eq!(appended.positions, [Position(1), Position(2), Position(1)]);
    assert_eq!(log.head().unwrap(), Position::ORIGIN, "nothing is visible before it is durable");
    assert_eq!(log.find(new_event(1).id).unwrap(), None);

    let again = log.append(Expected::Any, Timestamp(6), &[new_event(2), new_event(3)]).unwrap();
    assert_eq!(again.positions, [Position(2), Position(3)], "an id staged in the same group is known");
    log.sync().unwrap();
    let retry = log.append(Expected::At(Position::ORIGIN), Timestamp(7), &batch).unwrap();
    assert_eq!(retry.positions, appended.positions, "a whole batch that is known is a retry");
    log.sync().unwrap();

    assert_eq!(log.head().unwrap(), Position(3));
    assert_eq!(log.find(new_event(3).id).unwrap(), Some(Position(3)));
    let events = log.read_after(Position::ORIGIN, 10).unwrap();
    assert_eq!(events.iter().map(|event| event.event.clone()).collect::<Vec<_>>(), new_events(1..4));
    assert_eq!(log.read_after(Position(1), 1).unwrap(), events[1..2]);
    assert_eq!(log.read_after(Position(3), 10).unwrap(), []);
    assert_eq!(log.read_after(Position(99), 10).unwrap(), []);
    assert_eq!(log.event_at(Position(2)).unwrap().as_ref(), Some(&events[1]));
    assert_eq!(log.event_at(Position::ORIGIN).unwrap(), None);
    assert_eq!(log.event_at(Position(4)).unwrap(), None, "beyond the head");
    assert_eq!(log.event_with_id(new_event(3).id).unwrap().as_ref(), Some(&events[2]));
    assert_eq!(log.event_with_id(new_event(4).id).unwrap(), None);
}

/// Asserts that an append with another expected head is refused, and records none of its events.
fn a_conflict_leaves_no_trace(log: &dyn EventLog) {
    let before = log.read_after(Position::ORIGIN, 10).unwrap();
    let conflict = log.append(Expected::At(Position(2)), Timestamp(9), &[new_event(1), new_event(4)]);
    assert!(matches!(conflict, Err(LogError::Conflict { expected: Position(2), actual: Position(3) })), "{conflict:?}");
    log.sync().unwrap();
    assert_eq!(log.read_after(Position::ORIGIN, 10).unwrap(), before);
    assert_eq!(log.find(new_event(4).id).unwrap(), None);
}

/// Asserts that an event appended at an earlier time is recorded at the time of the previous event.
fn time_does_not_run_backwards(log: &dyn EventLog) {
    log.append(Expected::At(Position(3)), Timestamp(2), &[new_event(4)]).unwrap();
    log.sync().unwrap();
    let event = log.read_after(Position(3), 1).unwrap().remove(0);
    assert_eq!(event.recorded_at, Timestamp(6));
}

/// Asserts that a batch with a payload of more than 4 KiB or with 257 events is refused, and one of 256 events is
/// recorded.
fn what_is_too_large_is_refused_as_a_whole(log: &dyn EventLog) {
    let mut large = new_event(5);
    large.payload = vec![0; 4 * 1024 + 1].into();
    let refused = log.append(Expected::Any, Timestamp(9), &[new_event(6), large]);
    assert!(matches!(refused, Err(LogError::Oversized { bytes: 4_097, .. })), "{refused:?}");
    let many = new_events(100..100 + MAX_BATCH_EVENTS as u64 + 1);
    let refused = log.append(Expected::Any, Timestamp(9), &many);
    assert!(matches!(refused, Err(LogError::BatchOversized { events: 257, .. })), "{refused:?}");
    let appended = log.append(Expected::Any, Timestamp(9), &many[1..]).unwrap();
    assert_eq!(appended.head, Position(260));
    log.sync().unwrap();
    assert_eq!(log.head().unwrap(), Position(260));
}

/// Asserts that restoring an event fails if its position is not the next one, its time is earlier or its id is known,
/// and otherwise preserves position and time.
fn a_restored_event_continues_the_log_or_is_refused(log: &dyn EventLog) {
    let mut event = log.read_after(Position(259), 1).unwrap().remove(0);
    event.event = new_event(7);
    let hole = log.restore(std::slice::from_ref(&event));
    assert!(matches!(hole, Err(LogError::OutOfOrder { head: Position(260), given: Position(260), .. })), "{hole:?}");
    event.position = Position(261);
    event.recorded_at = Timestamp(1);
    let backwards = log.restore(std::slice::from_ref(&event));
    assert!(matches!(backwards, Err(LogError::OutOfOrder { .. })), "{backwards:?}");
    event.recorded_at = Timestamp(77);
    let mut second = event.clone();
    second.position = Position(262);
    let repeated = log.restore(&[event.clone(), second.clone()]);
    assert!(matches!(repeated, Err(LogError::Repeated { position: Position(261), .. })), "{repeated:?}");
    second.event = new_event(8);
    log.restore(&[event.clone(), second.clone()]).unwrap();
    log.sync().unwrap();
    assert_eq!(log.read_after(Position(260), 9).unwrap(), [event, second]);
}

/// Asserts that saving a checkpoint replaces it whatever the size of the new state, leaves checkpoints with similar
/// names unchanged, and accepts a name of 500 bytes.
fn a_saved_state_reads_back(log: &dyn EventLog) {
    assert_eq!(log.load_checkpoint("none").unwrap(), None);
    // Lengths around the size of one piece (4 KiB) and above that of one barrier (124 KiB).
    for (round, bytes) in [0, 1, 4_096, 4_097, 300_000, 5_000, 0].into_iter().enumerate() {
        let state = (0..bytes).map(|index: usize| (index * 31 + round).to_le_bytes()[0]).collect();
        let saved = Checkpoint { version: 3, position: Position(round as u64), state };
        log.save_checkpoint("a.state", &saved).unwrap();
        log.save_checkpoint("a.state.of.another", &Checkpoint { version: 9, ..saved.clone() }).unwrap();
        assert_eq!(log.load_checkpoint("a.state").unwrap(), Some(saved));
    }
    let name = "n".repeat(500);
    let saved = Checkpoint { version: 1, position: Position(1), state: vec![1] };
    log.save_checkpoint(&name, &saved).unwrap();
    assert_eq!(log.load_checkpoint(&name).unwrap(), Some(saved));
}
