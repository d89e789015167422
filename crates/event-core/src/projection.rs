//! [`Projection`], state that is folded from the log; [`Projected`], that state with its position; and [`Checkpoint`],
//! the saved form of both.

use std::ops::Deref;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{CodecError, DecodedEvent, EventSet, EventSubset, Position, Recorded, codec};

/// State that is computed from the events of the log alone, by folding them in order.
///
/// A rebuild starts from `Default::default()` and applies every event. An implementation reads no clock, file or random
/// number, and makes no decisions of its own: equal events must result in equal state.
pub trait Projection: Default + Serialize + DeserializeOwned + Send + 'static {
    /// Name of the projection, which is also the key of its checkpoint. Third parties use a prefix, as in
    /// `acme.slow-calls`.
    const NAME: &'static str;
    /// Version of the fold and of the state's layout. It must be increased when one of them changes; older checkpoints
    /// are then ignored.
    const VERSION: u32;

    /// The decoded events of the log, of which [`Projection::Folded`] are some. Projections with the same type share one
    /// decoded value.
    type Events: EventSet;
    /// The events that are folded. Others are neither decoded nor applied, nor is one whose payload was purged.
    type Folded<'a>: EventSubset<'a, Self::Events>;

    /// Folds one event into the state. `recorded` is its envelope: id, cause, times and position.
    fn apply(&mut self, event: Self::Folded<'_>, recorded: &Recorded);

    /// Decodes an event and applies it, whatever its position; see [`Projected`] for folding a log in order.
    ///
    /// # Errors
    /// [`CodecError`] if the event cannot be decoded. The state is then unchanged.
    fn apply_recorded(&mut self, recorded: &Recorded) -> Result<(), CodecError> {
        if let Some(event) = DecodedEvent::new(recorded).select::<Self::Folded<'_>>()? {
            self.apply(event, recorded);
        }
        Ok(())
    }
}

/// Error that stops a projection: an event that cannot be decoded, or a gap between the positions of two events.
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
    /// The event is not the next one: events between the last folded position and its position are missing.
    #[error("projection `{name}` is at position {at} and got the event at position {given}")]
    Gap {
        /// Name of the projection.
        name: &'static str,
        /// Last folded position.
        at: Position,
        /// Position of the given event.
        given: Position,
    },
}

/// Saved state of a projection at a position, from which a later start of the program resumes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// [`Projection::VERSION`] in the program that saved the state.
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

    /// Returns the state for a change that is no fold: moving parts of it out of memory, and back.
    pub const fn state_mut(&mut self) -> &mut P {
        &mut self.state
    }

    /// Creates a projection whose state includes the events up to `position`.
    pub const fn resumed_at(state: P, position: Position) -> Self {
        Self { state, position }
    }

    /// Returns the position of the last folded event; [`Position::ORIGIN`] if there is none.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// Folds the next event of the log into the state. Ignores events at or before the current position.
    ///
    /// # Errors
    /// [`ProjectionError`]. State and position are then unchanged.
    pub fn advance(&mut self, event: &Recorded) -> Result<(), ProjectionError> {
        self.advance_decoded(&DecodedEvent::new(event))
    }

    /// Folds the next event as [`Projected::advance`] does. Other projections that fold `event` use the same decoded
    /// value.
    ///
    /// # Errors
    /// [`ProjectionError`]. State and position are then unchanged.
    pub fn advance_decoded(&mut self, event: &DecodedEvent<'_, P::Events>) -> Result<(), ProjectionError> {
        let recorded = event.recorded();
        if recorded.position <= self.position {
            return Ok(());
        }
        if recorded.position != self.position.next() {
            return Err(ProjectionError::Gap { name: P::NAME, at: self.position, given: recorded.position });
        }
        let value = event.select::<P::Folded<'_>>().map_err(|source| ProjectionError::Unreadable {
            name: P::NAME,
            position: recorded.position,
            source,
        })?;
        if let Some(value) = value {
            self.state.apply(value, recorded);
        }
        self.position = recorded.position;
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

    /// Restores the state from a checkpoint. Returns the default state at the origin if `checkpoint` is `None`, has another
    /// version, cannot be decoded, or has a position after `head`, the last position of the log (as in a restored
    /// backup).
    pub fn resume(checkpoint: Option<&Checkpoint>, head: Position) -> Self {
        checkpoint
            .filter(|checkpoint| checkpoint.version == P::VERSION && checkpoint.position <= head)
            .and_then(|checkpoint| {
                let state = codec::decode_state(P::NAME, &checkpoint.state).ok()?;
                Some(Self { state, position: checkpoint.position })
            })
            .unwrap_or_default()
    }
}
