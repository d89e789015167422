//! Events of about 300 bytes with their envelope, the size of the event of a model call.

use event_core::{EventId, NewEvent, Timestamp};

/// Size of one event in the journal, in bytes. Groups of the same size are written to the plain file.
pub(crate) const BYTES: usize = 361;

/// Creates event number `number` of a producer, with a payload of 224 bytes.
pub(crate) fn new_event(producer: u64, number: u64) -> NewEvent {
    NewEvent {
        id: EventId::derive(&[&producer.to_le_bytes(), &number.to_le_bytes()]),
        at: Timestamp(number),
        correlation: EventId::derive(&[&producer.to_le_bytes()]),
        causation: Some(EventId::derive(&[&number.to_le_bytes()])),
        kind: "llm.call_completed".into(),
        version: 1,
        payload: (0..224_u64).map(|index| (index.wrapping_mul(number) >> 3).to_le_bytes()[0]).collect(),
    }
}
