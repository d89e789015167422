//! Event types, encoded events, and events recorded in the log.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{CodecError, EventId, Known, Payload, Position, Timestamp, codec, decoded::Decoded};

/// A type of event. The layout of each (`KIND`, `VERSION`) is frozen once it is released.
pub trait EventType: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Stable name, dotted and in past tense, such as `route.decided`.
    const KIND: &'static str;
    /// Layout version of the payload, starting at 1.
    const VERSION: u16;

    /// Decodes a payload of an older version and converts it; `None` if that version never existed.
    ///
    /// The older layout is an event type of its own, see [`upcast`].
    fn upcast(_version: u16, _payload: &[u8]) -> Option<Result<Self, CodecError>> {
        None
    }
}

/// Decodes a payload of the layout `Before`, or of any layout that `Before` can upcast, and converts it to `Now`.
///
/// `version` is the layout version of the payload. `None` if that version never existed. Version 3 of a kind calls it with
/// the type of version 2, which calls it with the type of version 1.
pub fn upcast<Before: EventType, Now: From<Before>>(version: u16, payload: &[u8]) -> Option<Result<Now, CodecError>> {
    let before = if version == Before::VERSION {
        Some(codec::decode::<Before>(Before::KIND, payload))
    } else {
        Before::upcast(version, payload)
    };
    before.map(|read| read.map(Now::from))
}

/// An encoded event that has no position in the log yet. Producers create it, and the log records it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewEvent {
    /// Id chosen by the producer; the log records each id once.
    pub id: EventId,
    /// Time at which the event happened, which may be long before it is recorded, as in an import.
    pub at: Timestamp,
    /// Id of the turn that the event belongs to, or of the session for events outside any turn.
    pub correlation: EventId,
    /// Id of the event that caused this one.
    pub causation: Option<EventId>,
    /// Kind of the event, such as `route.decided`. May be unknown to this program.
    pub kind: Cow<'static, str>,
    /// Layout version of the payload.
    pub version: u16,
    /// Encoded event, at most [`MAX_PAYLOAD_BYTES`](crate::MAX_PAYLOAD_BYTES) long.
    pub payload: Payload,
}

impl NewEvent {
    /// Encodes an event. It has no causation; see [`NewEvent::caused_by`].
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the encoded event is longer than [`MAX_PAYLOAD_BYTES`](crate::MAX_PAYLOAD_BYTES).
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

    /// Decodes the event as `E`, upcasting an older layout; `None` if it is of another kind.
    ///
    /// # Errors
    /// [`CodecError::Version`] for an unsupported layout version, [`CodecError::Decode`] for bytes that do not match
    /// the layout.
    pub fn read<E: EventType>(&self) -> Result<Option<E>, CodecError> {
        if self.kind != E::KIND {
            return Ok(None);
        }
        if self.version == E::VERSION {
            return codec::decode(E::KIND, &self.payload).map(Some);
        }
        let unknown = CodecError::Version { kind: E::KIND, found: self.version, known: E::VERSION };
        if self.version < E::VERSION {
            E::upcast(self.version, &self.payload).unwrap_or(Err(unknown)).map(Some)
        } else {
            Err(unknown)
        }
    }
}

/// An event in the log, with the position and time that the log assigned. Projections fold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Position in the log.
    pub position: Position,
    /// Time at which the log recorded the event; never decreases with the position.
    pub recorded_at: Timestamp,
    /// The event.
    pub event: NewEvent,
    /// BLAKE3 hash of a purged payload, by which the hash chain of the log remains verifiable; `payload` is empty then.
    /// `None` if the payload was not purged.
    pub purged: Option<[u8; 32]>,
    /// Cache of the decoded payload.
    #[serde(skip)]
    decoded: Decoded,
}

impl Recorded {
    /// Creates a recorded event.
    pub fn new(position: Position, recorded_at: Timestamp, event: NewEvent) -> Self {
        Self { position, recorded_at, event, purged: None, decoded: Decoded::default() }
    }

    /// Sets the decoded value of the event, which is ignored if it was not decoded from the event's payload.
    #[must_use]
    pub fn knowing(self, known: Option<Known>) -> Self {
        Self { decoded: known.map(Decoded::from).unwrap_or_default(), ..self }
    }

    /// Sets the hash of the purged payload; `None` if the payload was not purged.
    #[must_use]
    pub fn with_purged(self, purged: Option<[u8; 32]>) -> Self {
        Self { purged, decoded: Decoded::default(), ..self }
    }

    /// Decodes the event as `E`, see [`NewEvent::read`]; `None` also if the payload was purged.
    ///
    /// # Errors
    /// As [`NewEvent::read`].
    pub fn read<E: EventType>(&self) -> Result<Option<E>, CodecError> {
        Ok(self.view::<E>()?.map(Cow::into_owned))
    }

    /// Decodes the event as [`Recorded::read`] does, and returns a reference to the cached value if possible. Several
    /// projections that fold the same event decode it once.
    ///
    /// # Errors
    /// As [`NewEvent::read`].
    pub fn view<E: EventType>(&self) -> Result<Option<Cow<'_, E>>, CodecError> {
        if self.purged.is_some() || self.event.kind != E::KIND {
            return Ok(None);
        }
        if let Some(known) = self.decoded.get(&self.event) {
            return Ok(Some(Cow::Borrowed(known)));
        }
        let read = self.event.read::<E>()?;
        if self.decoded.is_kept() {
            return Ok(read.map(Cow::Owned));
        }
        match read.and_then(|read| self.decoded.keep(&self.event, read)) {
            Some(known) => Ok(Some(Cow::Borrowed(known))),
            None => Ok(self.event.read::<E>()?.map(Cow::Owned)),
        }
    }
}
