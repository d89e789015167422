//! Encodes events and assigns them a position.

use contracts::TurnId;
use event_core::{EventId, EventType, NewEvent, Position, Recorded, Timestamp};

/// Encodes an event of a turn that happened at `at`. Its id is derived from the turn, its kind and `number`.
///
/// # Panics
/// If the event is too long to be encoded.
#[expect(clippy::expect_used, reason = "a test that cannot encode its event fails")]
pub fn turn_event<E: EventType>(turn: TurnId, number: u64, at: Timestamp, event: &E) -> NewEvent {
    NewEvent::new(turn.0.then(E::KIND, number), at, turn.0, event).expect("the event of a test is short enough")
}

/// Encodes an event of a turn that all callers share, see [`turn_event`].
///
/// # Panics
/// If the event is too long to be encoded.
pub fn new_event<E: EventType>(number: u64, at: Timestamp, event: &E) -> NewEvent {
    turn_event(TurnId(EventId::derive(&[b"turn of a test"])), number, at, event)
}

/// Encodes an event, see [`new_event`], and records it at `position`, at the time at which it happened. The position
/// determines its id.
///
/// # Panics
/// If the event is too long to be encoded.
pub fn recorded<E: EventType>(position: u64, at: Timestamp, event: &E) -> Recorded {
    Recorded::new(Position(position), at, new_event(position, at, event))
}
