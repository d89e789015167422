//! The errors of the bus, its views and its reactors.

use std::sync::Arc;

use event_core::{CodecError, ProjectionError};

use crate::LogError;

/// An error of the bus, a view or a reactor.
#[derive(Debug, Clone, thiserror::Error)]
pub enum BusError {
    /// The bus was closed; nothing was recorded.
    #[error("the bus is closed")]
    Closed,
    /// The bus thread panicked. The events may have been recorded; the log shows it when it is opened again.
    #[error("the thread that owns the log ended unexpectedly; open the log again")]
    WriterLost,
    /// The task of a view or reactor ended without a result: its runtime was shut down, or it panicked.
    #[error("a view or reactor ended unexpectedly")]
    FollowerLost,
    /// The log returned an error.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A projection could not fold an event.
    #[error(transparent)]
    Projection(#[from] Arc<ProjectionError>),
    /// The state of a projection cannot be saved.
    #[error("cannot save the state of projection `{name}`")]
    Checkpoint {
        /// The name of the projection.
        name: &'static str,
        /// The error of the encoder.
        source: Arc<CodecError>,
    },
}
