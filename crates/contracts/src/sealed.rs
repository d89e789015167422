//! [`Sealed`], a new event together with its decoded value.

use std::sync::Arc;

use event_core::{CodecError, EventId, EventType, NewEvent, Timestamp};

use crate::Event;

/// A new event in its encoded form, together with its decoded value, for producers that record and fold an event in one
/// step. The projections then do not decode it again.
#[derive(Debug, Clone)]
pub struct Sealed {
    /// The encoded event.
    pub event: NewEvent,
    /// The decoded value; `None` if the producer only has the encoded event.
    pub value: Option<Event>,
}

impl Sealed {
    /// Encodes `body` as an event, as [`NewEvent::new`] does, and also stores it as the decoded value.
    ///
    /// # Errors
    /// As [`NewEvent::new`].
    pub fn new<E: EventType>(id: EventId, at: Timestamp, correlation: EventId, body: Arc<E>) -> Result<Self, CodecError>
    where
        Event: From<Arc<E>>,
    {
        let event = NewEvent::new(id, at, correlation, &*body)?;
        Ok(Self { event, value: Some(body.into()) })
    }

    /// Sets the id of the event that caused this one.
    #[must_use]
    pub fn caused_by(self, cause: EventId) -> Self {
        Self { event: self.event.caused_by(cause), ..self }
    }
}

/// Converts an event without a decoded value; projections decode its payload.
impl From<NewEvent> for Sealed {
    fn from(event: NewEvent) -> Self {
        Self { event, value: None }
    }
}
