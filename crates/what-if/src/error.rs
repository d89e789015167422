//! Why a question about the past has no answer.

use contracts::ContentHash;
use engine::EngineError;
use event_bus::LogError;
use event_core::{CodecError, Position, ProjectionError};

/// Why a replay or a backtest could not be done.
#[derive(Debug, thiserror::Error)]
pub enum WhatIfError {
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log cannot be read through the engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// An event cannot be folded.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// An event cannot be read or written.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// A policy or a list of models the log names is not beside it.
    #[error("position {position} was decided with the {what} `{hash}`, which is not in the log's `texts` any more")]
    TextGone {
        /// Where the decision stands.
        position: Position,
        /// What is missing.
        what: &'static str,
        /// Its name.
        hash: ContentHash,
    },
    /// A policy or a list of models that could be read when it was recorded cannot be read by this program.
    #[error("the {what} `{hash}` of position {position} cannot be read any more: {detail}")]
    Unreadable {
        /// Where the decision stands.
        position: Position,
        /// What cannot be read.
        what: &'static str,
        /// Its name.
        hash: ContentHash,
        /// The first thing that is wrong with it.
        detail: String,
    },
    /// The caller does not want any more.
    #[error("stopped")]
    Stopped,
}
