//! [`Sealed`], a new event together with its decoded value.

use std::sync::Arc;

use crate::{CodecError, EventId, EventType, Known, NewEvent, Timestamp};

/// A new event with its decoded value, for producers that record and fold it in one step: the projections need not
/// decode it again.
#[derive(Debug, Clone)]
pub struct Sealed {
    /// Encoded event.
    pub event: NewEvent,
    /// Decoded value; `None` if the producer has the encoded event only.
    pub known: Option<Known>,
}

impl Sealed {
    /// Encodes `body` as an event, as [`NewEvent::new`] does, and shares it as the decoded value.
    ///
    /// # Errors
    /// As [`NewEvent::new`].
    pub fn new<E: EventType>(
        id: EventId,
        at: Timestamp,
        correlation: EventId,
        body: Arc<E>,
    ) -> Result<Self, CodecError> {
        let event = NewEvent::new(id, at, correlation, &*body)?;
        let known = Some(Known::new(&event, body));
        Ok(Self { event, known })
    }

    /// Sets the id of the event that caused this one.
    #[must_use]
    pub fn caused_by(self, cause: EventId) -> Self {
        Self { event: self.event.caused_by(cause), ..self }
    }
}

/// Without a decoded value: projections decode the payload.
impl From<NewEvent> for Sealed {
    fn from(event: NewEvent) -> Self {
        Self { event, known: None }
    }
}
