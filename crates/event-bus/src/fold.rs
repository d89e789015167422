//! Folds a log into the state of a projection without a bus, and loads and saves its checkpoint.

use std::sync::Arc;

use event_core::{Checkpoint, Position, Projected, Projection};

use crate::{BusError, EventLog, LogError};

/// Maximum number of events that are read from the log at once.
pub(crate) const EVENTS_PER_READ: usize = 1_024;

/// Returns the state of projection `P` at the head of the log. Starts from its checkpoint if that is usable, otherwise
/// from the first event. Saves no checkpoint.
///
/// # Errors
/// [`BusError::Log`] if the log cannot be read, [`BusError::Projection`] if an event cannot be decoded.
pub fn fold<P: Projection>(log: &dyn EventLog) -> Result<Projected<P>, BusError> {
    let mut projected = resume(log)?;
    while advance(log, &mut projected)? {}
    Ok(projected)
}

/// Saves the state of a projection as its checkpoint in the log, replacing the previous one.
///
/// # Errors
/// [`BusError::Checkpoint`] if the encoded state exceeds 256 MiB, [`BusError::Log`] if it cannot be written.
pub fn save<P: Projection>(log: &dyn EventLog, projected: &Projected<P>) -> Result<(), BusError> {
    Ok(save_checkpoint(log, P::NAME, &encode_checkpoint(projected)?)?)
}

/// Encodes the state of a projection as a checkpoint. Returns the name of the projection and the checkpoint.
///
/// # Errors
/// [`BusError::Checkpoint`] if the encoded state exceeds 256 MiB.
pub fn named_checkpoint<P: Projection>(projected: &Projected<P>) -> Result<(&'static str, Checkpoint), BusError> {
    Ok((P::NAME, encode_checkpoint(projected)?))
}

/// Encodes the state of a projection as a checkpoint; [`BusError::Checkpoint`] if it exceeds 256 MiB.
pub(crate) fn encode_checkpoint<P: Projection>(projected: &Projected<P>) -> Result<Checkpoint, BusError> {
    projected.checkpoint().map_err(|source| BusError::Checkpoint { name: P::NAME, source: Arc::new(source) })
}

/// Loads the state of a projection from its checkpoint in the log. Without a usable checkpoint it returns the initial
/// state; an unusable checkpoint is reported in the program's log. Folds no events.
pub(crate) fn resume<P: Projection>(log: &dyn EventLog) -> Result<Projected<P>, BusError> {
    let head = log.head()?;
    let checkpoint = load_checkpoint(log, P::NAME)?;
    let projection: Projected<P> = Projected::resume(checkpoint.as_ref(), head);
    if let Some(checkpoint) = checkpoint
        && checkpoint.position != projection.position()
    {
        let (at, version) = (checkpoint.position.0, checkpoint.version);
        tracing::info!(projection = P::NAME, at, version, "checkpoint is unusable, folding from the first event");
    }
    Ok(projection)
}

/// Loads a checkpoint by its name; `None` if there is none, and with a warning if the index is not used.
pub(crate) fn load_checkpoint(log: &dyn EventLog, name: &str) -> Result<Option<Checkpoint>, LogError> {
    match log.load_checkpoint(name) {
        Err(error @ LogError::IndexUnavailable { .. }) => {
            tracing::warn!(%error, name, "a checkpoint cannot be loaded");
            Ok(None)
        }
        loaded => loaded,
    }
}

/// Saves a checkpoint; only logs a warning if the index is not used, since events after the previous checkpoint are folded
/// again.
pub(crate) fn save_checkpoint(log: &dyn EventLog, name: &str, checkpoint: &Checkpoint) -> Result<(), LogError> {
    match log.save_checkpoint(name, checkpoint) {
        Err(error @ LogError::IndexUnavailable { .. }) => {
            tracing::warn!(%error, name, "a checkpoint is not saved");
            Ok(())
        }
        saved => saved,
    }
}

/// Folds the next events, at most [`EVENTS_PER_READ`], into a projection. Returns false if there are no more.
pub(crate) fn advance<P: Projection>(log: &dyn EventLog, projected: &mut Projected<P>) -> Result<bool, BusError> {
    let events = log.read_after(projected.position(), EVENTS_PER_READ)?;
    for event in &events {
        projected.advance(event).map_err(Arc::new)?;
    }
    Ok(!events.is_empty())
}

/// Returns whether a projection must save another checkpoint: `position` is at least 10,000 events after `saved`, the
/// position of its last one.
pub(crate) fn is_checkpoint_due(position: Position, saved: Position) -> bool {
    /// Number of events between checkpoints. Folding them again takes some ten milliseconds.
    const EVENTS_PER_CHECKPOINT: u64 = 10_000;
    EVENTS_PER_CHECKPOINT <= position.0.saturating_sub(saved.0)
}
