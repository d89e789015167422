//! The error of reading a log for a replay, a backtest or an explanation.

use contracts::ContentHash;
use engine::EngineError;
use event_bus::LogError;
use event_core::{CodecError, Position, ProjectionError};

/// The error of a replay, a backtest, or an explanation of a recorded decision.
#[derive(Debug, thiserror::Error)]
pub enum WhatIfError {
    /// The log or its texts could not be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The engine could not read the log.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// An event could not be folded into the state.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// An event could not be decoded or encoded.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The text of a policy or of a list of models that a decision names by hash is missing from the text store.
    #[error("position {position} was decided with the {what} `{hash}`, which is not in the log's `texts` any more")]
    TextMissing {
        /// The position of the decision.
        position: Position,
        /// The kind of the missing text: `policy` or `list of models`.
        what: &'static str,
        /// The BLAKE3 hash of its text.
        hash: ContentHash,
    },
    /// A recorded policy or list of models is not valid for this version of the program.
    #[error("the {what} `{hash}` of position {position} cannot be read any more: {detail}")]
    Unreadable {
        /// The position of the decision.
        position: Position,
        /// The kind of the invalid text: `policy` or `list of models`.
        what: &'static str,
        /// The BLAKE3 hash of its text.
        hash: ContentHash,
        /// The first problem that was found in it.
        detail: String,
    },
    /// The caller stopped the backtest.
    #[error("stopped")]
    Stopped,
}
