//! What the tests of this crate share: facts that differ in everything.
#![allow(dead_code, clippy::allow_attributes, reason = "not every test uses all of it")]

use event_core::{EventId, NewEvent, Timestamp};

/// A fact made of a number: its id, times, kind and payload follow from it.
pub(crate) fn event(number: u64) -> NewEvent {
    let id = EventId::derive(&[b"test", &number.to_le_bytes()]);
    let kind: String = ["turn.started", "route.decided", "llm.call_completed"][(number % 3) as usize].to_owned();
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

/// Facts made of a range of numbers.
pub(crate) fn events(numbers: std::ops::Range<u64>) -> Vec<NewEvent> {
    numbers.map(event).collect()
}
