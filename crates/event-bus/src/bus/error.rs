//! What can go wrong between a producer or follower and the log.

use std::sync::Arc;

use event_core::{CodecError, ProjectionError};

use crate::LogError;

/// Why the bus could not do what it was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum BusError {
    /// The bus was closed; nothing was recorded.
    #[error("the bus is closed")]
    Closed,
    /// The writer thread is gone. Whether the batch was recorded shows when the log is opened again.
    #[error("the log's writer ended unexpectedly; open the log again")]
    WriterLost,
    /// A view or reactor ended without saying why: its runtime was shut down, or it panicked.
    #[error("a view or reactor ended unexpectedly")]
    FollowerLost,
    /// The log refused.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A projection stopped.
    #[error(transparent)]
    Projection(#[from] Arc<ProjectionError>),
    /// The state of a projection cannot be saved.
    #[error("cannot save the state of projection `{name}`")]
    Checkpoint {
        /// The projection.
        name: &'static str,
        /// What is wrong with the state.
        source: Arc<CodecError>,
    },
}
