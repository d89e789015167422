//! [`Projection`], the state folded from the log; [`Projected`], that state with its position; and [`Checkpoint`], the
//! saved form of both.

use std::ops::Deref;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{CodecError, Position, Recorded, codec};

/// State that is computed from the events of the log alone, by folding them in order.
///
/// A rebuild starts from `Default::default()` and applies every event. An implementation reads no clock, file or random
/// number, and makes no decisions of its own: equal events must result in equal state.
pub trait Projection: Default + Serialize + DeserializeOwned + Send + 'static {
    /// Name of the projection and key of its checkpoint. Third parties use a prefix, as in `acme.slow-calls`.
    const NAME: &'static str;
    /// Version of the fold and of the state's layout. Increase it when one of them changes; older checkpoints are then
    /// ignored.
    const VERSION: u32;

    /// Folds one event into the state. Ignores kinds that the projection does not use.
    ///
    /// # Errors
    /// [`CodecError`] if the event cannot be decoded. The projection then stays at the previous position.
    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError>;
}

/// Error that stops a projection: an event that cannot be decoded, or a gap in the positions.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionError {
    /// An event cannot be decoded.
    #[error("projection `{name}` cannot read the event at position {position}")]
    Unreadable {
        /// Name of the projection.
        name: &'static str,
        /// Position of the event.
        position: Position,
        /// Error of the codec.
        source: CodecError,
    },
    /// The event is not the next one: those between the last folded position and it are missing.
    #[error("projection `{name}` stands at {at} and was given {given}")]
    Gap {
        /// Name of the projection.
        name: &'static str,
        /// Last folded position.
        at: Position,
        /// Position of the given event.
        given: Position,
    },
}

/// Encoded state of a projection at a position, from which a later program start resumes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// [`Projection::VERSION`] of the program that saved the state.
    pub version: u32,
    /// Last position folded into the state.
    pub position: Position,
    /// Encoded state.
    pub state: Vec<u8>,
}

/// State of a projection with the position of the last event folded into it; dereferences to the state. The default is
/// the empty state at [`Position::ORIGIN`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Projected<P> {
    /// State after folding the events up to `position`.
    state: P,
    /// Last folded position.
    position: Position,
}

impl<P> Deref for Projected<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.state
    }
}

impl<P: Projection> Projected<P> {
    /// Returns the state.
    pub const fn state(&self) -> &P {
        &self.state
    }

    /// Returns the position of the last folded event; [`Position::ORIGIN`] if there is none.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// Folds the next event. Ignores events at or before the current position.
    ///
    /// # Errors
    /// [`ProjectionError`]. The position is unchanged, but a failed fold may have changed the state in part: discard it
    /// and rebuild.
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

    /// Encodes the state and its position as a checkpoint.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the encoded state is longer than 256 MiB.
    pub fn checkpoint(&self) -> Result<Checkpoint, CodecError> {
        let state = codec::encode_state(P::NAME, &self.state)?;
        Ok(Checkpoint { version: P::VERSION, position: self.position, state })
    }

    /// Decodes the state from a checkpoint. Returns the default state at the origin if `saved` is `None`, has another
    /// version, cannot be decoded, or has a position after `head`, the last position of the log (as in a restored
    /// backup).
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
