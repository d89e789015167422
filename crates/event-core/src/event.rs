//! Event types ([`EventType`]), encoded events ([`NewEvent`]), and events with a position in the log ([`Recorded`]).

use std::borrow::Cow;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{CodecError, EventId, Known, Payload, Position, Timestamp, codec, decoded::Decoded};

/// A serialisable type of event, identified by its kind. Once a layout version is released, it is frozen: a changed
/// layout is a new `VERSION`.
pub trait EventType: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Stable name of the kind, dotted and in past tense, such as `route.decided`.
    const KIND: &'static str;
    /// Layout version of the payload, starting at 1.
    const VERSION: u16;

    /// Decodes a payload of layout `version`, older than `VERSION`, and converts it; `None` if that version never
    /// existed.
    ///
    /// The older layout is an event type of its own, see [`upcast`]. The default supports no older version.
    fn upcast(_version: u16, _payload: &[u8]) -> Option<Result<Self, CodecError>> {
        None
    }
}

/// Decodes a payload of the layout `Before`, or of an older one that `Before` can upcast, and converts it to `Now`.
///
/// `version` is the layout version of the payload; `None` if that version never existed. The inner error is
/// [`CodecError::Decode`]. Version 3 of a kind calls this function with the type of version 2, whose `upcast` calls it
/// with the type of version 1.
pub fn upcast<Before: EventType, Now: From<Before>>(version: u16, payload: &[u8]) -> Option<Result<Now, CodecError>> {
    let before = if version == Before::VERSION {
        Some(codec::decode::<Before>(Before::KIND, payload))
    } else {
        Before::upcast(version, payload)
    };
    before.map(|read| read.map(Now::from))
}

/// An encoded event without a position. A producer creates it, and the log assigns the position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewEvent {
    /// Id chosen by the producer; the log records each id once.
    pub id: EventId,
    /// Time at which the event happened, which may be long before it is recorded, as in an import.
    pub at: Timestamp,
    /// Id of the turn that the event belongs to, or of the session for events outside any turn.
    pub correlation: EventId,
    /// Id of the event that caused this one; `None` if there is none.
    pub causation: Option<EventId>,
    /// Kind of the event, such as `route.decided`. May be a kind that this program does not know.
    pub kind: Cow<'static, str>,
    /// Layout version of the payload, from 1.
    pub version: u16,
    /// Encoded event, at most [`MAX_PAYLOAD_BYTES`](crate::MAX_PAYLOAD_BYTES) long.
    pub payload: Payload,
}

impl NewEvent {
    /// Encodes `event`. `at` is the time at which it happened, `correlation` the id of its turn or session. The event
    /// has no cause; see [`NewEvent::caused_by`].
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

/// An event with the position and time that the log assigned. Projections fold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Position in the log.
    pub position: Position,
    /// Time at which the log recorded the event; never decreases with the position.
    pub recorded_at: Timestamp,
    /// The event.
    pub event: NewEvent,
    /// BLAKE3 hash of the payload if it was purged; `None` if it was not. The payload of a purged event is empty; with
    /// its hash the hash chain of the log can still be verified.
    pub purged: Option<[u8; 32]>,
    /// Cache of the decoded value.
    #[serde(skip)]
    decoded: Decoded,
}

impl Recorded {
    /// Creates a recorded event with its payload (not purged) and without a decoded value.
    pub fn new(position: Position, recorded_at: Timestamp, event: NewEvent) -> Self {
        Self { position, recorded_at, event, purged: None, decoded: Decoded::default() }
    }

    /// Sets the decoded value of the event, so that reads need not decode it; `None` removes it. A value that was
    /// decoded from another payload is ignored by reads.
    #[must_use]
    pub fn knowing(self, known: Option<Known>) -> Self {
        Self { decoded: known.map(Decoded::from).unwrap_or_default(), ..self }
    }

    /// Sets the hash of the purged payload; `None` if the payload was not purged. Discards the decoded value; does not
    /// change the payload.
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

    /// Decodes the event like [`Recorded::read`], but returns a reference to the cached value if that is valid. If no
    /// value is cached, caches the decoded one, so that several projections that fold the same event decode it once.
    /// `None` if the event is of another kind or was purged.
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
