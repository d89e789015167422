//! Event types ([`EventType`]), encoded events ([`NewEvent`]), and events that the log has recorded ([`Recorded`]).

use std::borrow::Cow;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{CodecError, EventId, Payload, Position, Timestamp, codec};

/// A serialisable type of event, identified by its kind. Once a layout version is released it is frozen: a changed
/// layout needs a new `VERSION`.
pub trait EventType: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Stable name of the kind: dotted and in past tense, such as `route.decided`.
    const KIND: &'static str;
    /// Layout version of the payload, starting at 1.
    const VERSION: u16;

    /// Decodes a payload of an older layout `version` and converts it to this type; `None` if that version never
    /// existed.
    ///
    /// The older layout is an event type of its own, see the function [`upcast`]. The default implementation supports
    /// no older version.
    fn upcast(_version: u16, _payload: &[u8]) -> Option<Result<Self, CodecError>> {
        None
    }
}

/// Decodes a payload of an older layout of a kind, and converts it to the newer type `Now`. The payload has the layout
/// of `Before`, or an older one that `Before` can upcast.
///
/// `version` is the layout version of the payload; `None` if that version never existed. The inner error is
/// [`CodecError::Decode`]. Version 3 of a kind calls this function with the type of version 2, whose `upcast` calls it
/// with the type of version 1.
pub fn upcast<Before: EventType, Now: From<Before>>(version: u16, payload: &[u8]) -> Option<Result<Now, CodecError>> {
    let decoded = if version == Before::VERSION {
        Some(codec::decode::<Before>(Before::KIND, payload))
    } else {
        Before::upcast(version, payload)
    };
    decoded.map(|result| result.map(Now::from))
}

/// An encoded event that has no position in the log yet. A producer creates it, and the log assigns the position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewEvent {
    /// Id chosen by the producer; the log records each id once.
    pub id: EventId,
    /// Time at which the event happened, which may be long before it is recorded, as in an import.
    pub at: Timestamp,
    /// Id of the turn that the event belongs to; of the session for events outside any turn.
    pub correlation: EventId,
    /// Id of the event that caused this one; `None` if no event did.
    pub causation: Option<EventId>,
    /// Kind of the event, such as `route.decided`. May be a kind that this program does not know.
    pub kind: Cow<'static, str>,
    /// Layout version of the payload, from 1.
    pub version: u16,
    /// Encoded content of the event, at most [`MAX_PAYLOAD_BYTES`](crate::MAX_PAYLOAD_BYTES) long.
    pub payload: Payload,
}

impl NewEvent {
    /// Encodes `event`. `at` is the time at which it happened, `correlation` the id of its turn or session.
    /// [`NewEvent::caused_by`] sets its cause.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the payload is longer than [`MAX_PAYLOAD_BYTES`](crate::MAX_PAYLOAD_BYTES).
    pub fn new<E: EventType>(id: EventId, at: Timestamp, correlation: EventId, event: &E) -> Result<Self, CodecError> {
        Ok(Self {
            id,
            at,
            correlation,
            causation: None,
            kind: Cow::Borrowed(E::KIND),
            version: E::VERSION,
            payload: codec::encode(E::KIND, event)?.into(),
        })
    }

    /// Sets the id of the event that caused this one.
    #[must_use]
    pub fn caused_by(mut self, cause: EventId) -> Self {
        self.causation = Some(cause);
        self
    }

    /// Decodes the content of the event as `E`; an older layout is upcast. `None` if the event is of another kind.
    ///
    /// # Errors
    /// [`CodecError::Version`] if the layout version is not supported, [`CodecError::Decode`] if the bytes do not match
    /// the layout.
    pub fn read<E: EventType>(&self) -> Result<Option<E>, CodecError> {
        if self.kind != E::KIND {
            return Ok(None);
        }
        if self.version == E::VERSION {
            return codec::decode(E::KIND, &self.payload).map(Some);
        }
        let version_error = CodecError::Version { kind: E::KIND, found: self.version, known: E::VERSION };
        if self.version < E::VERSION {
            E::upcast(self.version, &self.payload).unwrap_or(Err(version_error)).map(Some)
        } else {
            Err(version_error)
        }
    }
}

/// An event with the position and the time that the log assigned to it. Projections fold recorded events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Position in the log.
    pub position: Position,
    /// Time at which the log recorded the event. It never decreases from one position to the next.
    pub recorded_at: Timestamp,
    /// The event.
    pub event: NewEvent,
    /// BLAKE3 hash of the payload if it was purged; otherwise `None`. The payload of a purged event is empty; with its
    /// hash, the hash chain of the log can still be verified.
    pub purged: Option<[u8; 32]>,
}

impl Recorded {
    /// Creates a recorded event with its payload (not purged).
    pub const fn new(position: Position, recorded_at: Timestamp, event: NewEvent) -> Self {
        Self { position, recorded_at, event, purged: None }
    }

    /// Sets the hash of the purged payload; `None` if the payload was not purged. Discards the cached value, and does
    /// not change the payload.
    #[must_use]
    pub fn with_purged(self, purged: Option<[u8; 32]>) -> Self {
        Self { purged, ..self }
    }

    /// Decodes the content of the event as `E`, see [`NewEvent::read`]. `None` if the event is of another kind or its
    /// payload was purged.
    ///
    /// # Errors
    /// As [`NewEvent::read`].
    pub fn read<E: EventType>(&self) -> Result<Option<E>, CodecError> {
        if self.purged.is_some() { Ok(None) } else { self.event.read() }
    }
}
