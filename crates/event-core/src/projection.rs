//! State derived from the log, and its bookmark.

use std::ops::Deref;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{CodecError, Position, Recorded, codec};

/// State derived from the log and from nothing else.
///
/// A rebuild is `Default::default()` followed by every event; there is nothing to override. Apply events, not
/// business rules; read no clock, no file and no random number.
pub trait Projection: Default + Serialize + DeserializeOwned + Send + 'static {
    /// Key of its checkpoint; third parties prefix theirs, as in `acme.slow-calls`.
    const NAME: &'static str;
    /// Bump when the fold or the layout of the state changes; old checkpoints are then ignored.
    const VERSION: u32;

    /// Folds one event. Kinds it does not know are none of its business.
    ///
    /// # Errors
    /// Whatever reading the event gives; the projection then stops at the position before it.
    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError>;
}

/// Why a projection stopped.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionError {
    /// An event it needs cannot be read.
    #[error("projection `{name}` cannot read the event at position {position}")]
    Unreadable {
        /// The projection.
        name: &'static str,
        /// Where the event stands.
        position: Position,
        /// What is wrong with it.
        source: CodecError,
    },
    /// An event is missing between what it has seen and what it was given.
    #[error("projection `{name}` stands at {at} and was given {given}")]
    Gap {
        /// The projection.
        name: &'static str,
        /// The last position folded.
        at: Position,
        /// The position offered.
        given: Position,
    },
}

/// A saved state together with the position it stands at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// [`Projection::VERSION`] when it was saved.
    pub version: u32,
    /// The last position folded into the state.
    pub position: Position,
    /// The encoded state.
    pub state: Vec<u8>,
}

/// A projection's state and the last position folded into it.
///
/// Dereferences to the state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Projected<P> {
    state: P,
    position: Position,
}

impl<P> Deref for Projected<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.state
    }
}

impl<P: Projection> Projected<P> {
    /// The state.
    pub const fn state(&self) -> &P {
        &self.state
    }

    /// The last position folded into the state.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// Folds the next event. One already seen changes nothing.
    ///
    /// # Errors
    /// [`ProjectionError`]; the state then still stands where it stood, unless the fold itself was halfway:
    /// a projection that failed must be rebuilt.
    pub fn advance(&mut self, event: &Recorded) -> Result<(), ProjectionError> {
        if event.position <= self.position {
            return Ok(());
        }
        if event.position != self.position.next() {
            return Err(ProjectionError::Gap { name: P::NAME, at: self.position, given: event.position });
        }
        self.state.apply(event).map_err(|source| ProjectionError::Unreadable {
            name: P::NAME,
            position: event.position,
            source,
        })?;
        self.position = event.position;
        Ok(())
    }

    /// The state and its position as one value to save.
    ///
    /// # Errors
    /// [`CodecError::Encode`] when the state is larger than a checkpoint may be.
    pub fn checkpoint(&self) -> Result<Checkpoint, CodecError> {
        let state = codec::encode_state(P::NAME, &self.state)?;
        Ok(Checkpoint { version: P::VERSION, position: self.position, state })
    }

    /// Continues from a checkpoint, or starts over when there is none, when it is of another version, when it
    /// cannot be read, or when it stands beyond the log's `head` (a restored backup).
    pub fn resume(saved: Option<&Checkpoint>, head: Position) -> Self {
        saved
            .filter(|saved| saved.version == P::VERSION && saved.position <= head)
            .and_then(|saved| {
                let state = codec::decode_state(P::NAME, &saved.state).ok()?;
                Some(Self { state, position: saved.position })
            })
            .unwrap_or_default()
    }
}
