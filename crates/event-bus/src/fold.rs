//! A projection's state without a bus: resume, catch up, return.

use std::sync::Arc;

use event_core::{Checkpoint, Position, Projected, Projection};

use crate::{BusError, EventLog};

/// Events read from the log at once.
pub(crate) const CHUNK: usize = 1_024;

/// The state of `P` at the log's end, from its checkpoint if that is of use. Saves nothing.
///
/// # Errors
/// [`BusError::Log`] when the log cannot be read, [`BusError::Projection`] when an event cannot.
pub fn fold<P: Projection>(log: &dyn EventLog) -> Result<Projected<P>, BusError> {
    let mut projected = resume(log)?;
    while advance(log, &mut projected)? {}
    Ok(projected)
}

/// Saves the state of a projection under its name.
///
/// # Errors
/// [`BusError::Checkpoint`] for a state that is too large, [`BusError::Log`] when it cannot be written.
pub fn save<P: Projection>(log: &dyn EventLog, projected: &Projected<P>) -> Result<(), BusError> {
    Ok(log.save_checkpoint(P::NAME, &checkpoint(projected)?)?)
}

pub(crate) fn checkpoint<P: Projection>(projected: &Projected<P>) -> Result<Checkpoint, BusError> {
    projected.checkpoint().map_err(|source| BusError::Checkpoint { name: P::NAME, source: Arc::new(source) })
}

pub(crate) fn resume<P: Projection>(log: &dyn EventLog) -> Result<Projected<P>, BusError> {
    let head = log.head()?;
    let saved = log.load_checkpoint(P::NAME)?;
    let projected = Projected::resume(saved.as_ref(), head);
    if let Some(saved) = saved
        && saved.position != projected.position()
    {
        let (at, version) = (saved.position.0, saved.version);
        tracing::info!(projection = P::NAME, at, version, "checkpoint is of no use, starting over");
    }
    Ok(projected)
}

/// Folds some of the events after the state's position; false when there are none.
pub(crate) fn advance<P: Projection>(log: &dyn EventLog, projected: &mut Projected<P>) -> Result<bool, BusError> {
    let events = log.read_after(projected.position(), CHUNK)?;
    for event in &events {
        projected.advance(event).map_err(Arc::new)?;
    }
    Ok(!events.is_empty())
}

/// Whether a state has moved so far since it was saved that it should be saved again.
pub(crate) fn is_due(position: Position, saved: Position) -> bool {
    /// Folding this many events takes some hundredths of a second.
    const EVERY: u64 = 10_000;
    EVERY <= position.0.saturating_sub(saved.0)
}
