//! [`BusError`], the error of the bus, its views and its reactors.

use std::sync::Arc;

use event_core::{CodecError, ProjectionError};

use crate::LogError;

/// An error of the event bus, or of a view or reactor that follows it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum BusError {
    /// The bus is closed. A command or batch that was refused with this error recorded nothing.
    #[error("the bus is closed")]
    Closed,
    /// Too many commands and batches wait for the bus thread. Nothing was recorded; the caller can try again.
    #[error("too many requests wait for the log")]
    Busy,
    /// The command panicked. The events that it had appended stay in the log, and the bus continues with a state rebuilt from it.
    #[error("a command failed unexpectedly: {0}")]
    CommandPanicked(Arc<str>),
    /// The bus thread panicked. Events of the call may have been recorded; after the log is opened again, reading it
    /// shows whether they were.
    #[error("the thread that owns the log ended unexpectedly; open the log again")]
    WriterLost,
    /// The task of a view or reactor, or a read that it started, ended without a result: it panicked, or its runtime
    /// was shut down.
    #[error("a view or reactor ended unexpectedly")]
    FollowerLost,
    /// The log returned an error.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A projection could not fold an event: the event cannot be decoded, or positions are missing.
    #[error(transparent)]
    Projection(#[from] Arc<ProjectionError>),
    /// The state of a projection cannot be encoded, usually because it exceeds 256 MiB.
    #[error("cannot save the state of projection `{name}`")]
    Checkpoint {
        /// Name of the projection.
        name: &'static str,
        /// Error of the encoder.
        source: Arc<CodecError>,
    },
}
