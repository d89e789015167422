//! Encoded events for tests of logs, which do not decode them.

use event_core::{EventId, NewEvent, Timestamp};

/// Creates an event from a number, which determines its id, times, kind and payload.
pub fn new_event(number: u64) -> NewEvent {
    let id = EventId::derive(&[b"test", &number.to_le_bytes()]);
    let kind = ["turn.started", "route.decided", "llm.call_completed"][(number % 3) as usize];
    NewEvent {
        id,
        at: Timestamp(number * 7),
        correlation: EventId::derive(&[b"turn", &(number / 4).to_le_bytes()]),
        causation: (!number.is_multiple_of(3)).then(|| EventId::derive(&[b"test", &(number - 1).to_le_bytes()])),
        kind: kind.into(),
        version: (number % 5) as u16 + 1,
        payload: (0..number * 13 % 300).map(|index| (index * number).to_le_bytes()[0]).collect(),
    }
}

/// Creates the events of a range of numbers, see [`new_event`].
pub fn new_events(numbers: std::ops::Range<u64>) -> Vec<NewEvent> {
    numbers.map(new_event).collect()
}
