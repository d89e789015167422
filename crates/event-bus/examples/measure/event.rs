//! Events of about 300 bytes with their envelope, as a call of a model is.

use event_core::{EventId, NewEvent, Timestamp};

/// Bytes the log's journal needs for one of them, which a plain file is given to write as well.
pub(crate) const BYTES: usize = 361;

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
