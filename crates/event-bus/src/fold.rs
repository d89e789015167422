//! Folds a log into the state of a projection, without a bus.

use std::sync::Arc;

use event_core::{Checkpoint, Position, Projected, Projection};

use crate::{BusError, EventLog};

/// Number of events that are read at once.
pub(crate) const CHUNK: usize = 1_024;

/// Returns the state of `P` at the head of the log. Starts from its checkpoint if that is usable; saves none.
///
/// # Errors
/// [`BusError::Log`] if the log cannot be read, [`BusError::Projection`] if an event cannot be decoded.
pub fn fold<P: Projection>(log: &dyn EventLog) -> Result<Projected<P>, BusError> {
    let mut projected = resume(log)?;
    while advance(log, &mut projected)? {}
    Ok(projected)
}

/// Saves the checkpoint of a projection.
///
/// # Errors
/// [`BusError::Checkpoint`] if the state is too large, [`BusError::Log`] if it cannot be written.
pub fn save<P: Projection>(log: &dyn EventLog, projected: &Projected<P>) -> Result<(), BusError> {
    Ok(log.save_checkpoint(P::NAME, &checkpoint(projected)?)?)
}

/// Returns the state of a projection as a checkpoint, with the projection's name.
///
/// # Errors
/// [`BusError::Checkpoint`] if the state is too large.
pub fn named_checkpoint<P: Projection>(projected: &Projected<P>) -> Result<(&'static str, Checkpoint), BusError> {
    Ok((P::NAME, checkpoint(projected)?))
}

/// Encodes the state of a projection as a checkpoint.
pub(crate) fn checkpoint<P: Projection>(projected: &Projected<P>) -> Result<Checkpoint, BusError> {
    projected.checkpoint().map_err(|source| BusError::Checkpoint { name: P::NAME, source: Arc::new(source) })
}

/// Resumes a projection from its checkpoint. If that is unusable, the projection starts from its default state.
pub(crate) fn resume<P: Projection>(log: &dyn EventLog) -> Result<Projected<P>, BusError> {
    let head = log.head()?;
    let saved = log.load_checkpoint(P::NAME)?;
    let projected: Projected<P> = Projected::resume(saved.as_ref(), head);
    if let Some(saved) = saved
        && saved.position != projected.position()
    {
        let (at, version) = (saved.position.0, saved.version);
        tracing::info!(projection = P::NAME, at, version, "checkpoint is unusable, folding from the first event");
    }
    Ok(projected)
}

/// Folds the next [`CHUNK`] events. Returns false if there are none.
pub(crate) fn advance<P: Projection>(log: &dyn EventLog, projected: &mut Projected<P>) -> Result<bool, BusError> {
    let events = log.read_after(projected.position(), CHUNK)?;
    for event in &events {
        projected.advance(event).map_err(Arc::new)?;
    }
    Ok(!events.is_empty())
}

/// Returns whether a projection has folded enough events since its last checkpoint to save another.
pub(crate) fn is_due(position: Position, saved: Position) -> bool {
    /// Folding this many events takes some ten milliseconds.
    const EVERY: u64 = 10_000;
    EVERY <= position.0.saturating_sub(saved.0)
}
