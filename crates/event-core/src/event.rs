//! Events: typed, sealed for the log, and as the log keeps them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{CodecError, EventId, Known, Payload, Position, Timestamp, codec, decoded::Decoded};

/// A type whose values can be written to the log. The layout of a (`KIND`, `VERSION`) pair is frozen once released.
pub trait EventType: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Stable, dotted, past-tense name, such as `route.decided`.
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

/// An event sealed for the log, before the log has given it a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewEvent {
    /// Chosen by the producer; a known id is recorded once.
    pub id: EventId,
    /// When it happened. Not when it was written: an import writes today what happened last week.
    pub at: Timestamp,
    /// What it belongs to: the turn, or the session outside any turn.
    pub correlation: EventId,
    /// The event that led to this one.
    pub causation: Option<EventId>,
    /// The kind of event, such as `route.decided`. May be one this program has never heard of.
    pub kind: Cow<'static, str>,
    /// The layout version of the payload.
    pub version: u16,
    /// The encoded event, at most [`MAX_PAYLOAD_BYTES`](crate::MAX_PAYLOAD_BYTES).
    pub payload: Payload,
}

impl NewEvent {
    /// Seals an event.
    ///
    /// # Errors
    /// [`CodecError::Encode`] when the encoded event is larger than a payload may be.
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

    /// The same event, naming the one that led to it.
    #[must_use]
    pub fn caused_by(mut self, cause: EventId) -> Self {
        self.causation = Some(cause);
        self
    }

    /// The event as `E`, upcast if its layout is old, or `None` if it is an event of another kind.
    ///
    /// # Errors
    /// [`CodecError::Version`] for a layout this program does not know, [`CodecError::Decode`] for bytes that
    /// do not hold the layout they claim.
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

/// An event as the log keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Its place in the log.
    pub position: Position,
    /// When the log wrote it; never earlier than the event before it.
    pub recorded_at: Timestamp,
    /// The event.
    pub event: NewEvent,
    /// The BLAKE3 hash of a payload that was removed on the user's demand; the payload is empty then, and the hash
    /// keeps the log's chain provable.
    pub purged: Option<[u8; 32]>,
    /// What the payload was read as.
    #[serde(skip)]
    decoded: Decoded,
}

impl Recorded {
    /// An event at its place.
    pub fn new(position: Position, recorded_at: Timestamp, event: NewEvent) -> Self {
        Self { position, recorded_at, event, purged: None, decoded: Decoded::default() }
    }

    /// The same event, read already: of use as long as its payload is the one that says this.
    #[must_use]
    pub fn knowing(self, known: Option<Known>) -> Self {
        Self { decoded: known.map(Decoded::from).unwrap_or_default(), ..self }
    }

    /// The same event, its payload removed if there is the hash of what it was.
    #[must_use]
    pub fn with_purged(self, purged: Option<[u8; 32]>) -> Self {
        Self { purged, decoded: Decoded::default(), ..self }
    }

    /// The event as `E`, see [`NewEvent::read`]; `None` as well when its payload was removed.
    ///
    /// # Errors
    /// As [`NewEvent::read`].
    pub fn read<E: EventType>(&self) -> Result<Option<E>, CodecError> {
        Ok(self.view::<E>()?.map(Cow::into_owned))
    }

    /// As [`Recorded::read`], for whoever needs to look only: of several projections the first reads the event, and the
    /// others see what it has read.
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
