//! A new event together with its value, for whoever records it and folds it at once.

use std::sync::Arc;

use crate::{CodecError, EventId, EventType, Known, NewEvent, Timestamp};

/// An event sealed for the log, and what it says beside its bytes: projections that fold it need not read them.
#[derive(Debug, Clone)]
pub struct Sealed {
    /// The event as the log takes it.
    pub event: NewEvent,
    /// What its payload says, when whoever sealed it gave it along.
    pub known: Option<Known>,
}

impl Sealed {
    /// Seals an event.
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

    /// The same event, naming the one that led to it.
    #[must_use]
    pub fn caused_by(self, cause: EventId) -> Self {
        Self { event: self.event.caused_by(cause), ..self }
    }
}

impl From<NewEvent> for Sealed {
    fn from(event: NewEvent) -> Self {
        Self { event, known: None }
    }
}
