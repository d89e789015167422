//! The error of an operation, as it crosses the socket.

use std::error::Error;

use engine::{EngineError, ExchangeError};
use serde::{Deserialize, Serialize};

/// Who has to act on an error; commands turn it into their exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The request is wrong: an unknown turn, model or session, or a file of the user's that cannot be used.
    Invalid,
    /// The request is valid and could not be executed.
    Failed,
}

/// An operation that was not executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ControlError {
    /// Who has to act.
    pub kind: ErrorKind,
    /// The error with its causes and the next step, for the user.
    pub message: String,
}

impl ControlError {
    /// An error in what the user asked for.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Invalid, message: message.into() }
    }

    /// A valid request that could not be executed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Failed, message: message.into() }
    }
}

/// Formats an error followed by its causes, separated by colons. A cause that the text contains already is left out:
/// some errors repeat it.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        cause = error.source();
    }
    text
}

impl From<EngineError> for ControlError {
    fn from(error: EngineError) -> Self {
        let message = with_causes(&error);
        let kind = match error {
            EngineError::Policy(_)
            | EngineError::Models(_)
            | EngineError::Override(_)
            | EngineError::Id(_)
            | EngineError::UnknownModel { .. }
            | EngineError::UnknownSession(_)
            | EngineError::UnknownTurn(_)
            | EngineError::AmbiguousTurn(_)
            | EngineError::NothingDecided
            | EngineError::NoSuggestion(_)
            | EngineError::TextForbidden
            | EngineError::Exchange(ExchangeError::Line { .. } | ExchangeError::NotAContinuation { .. }) => {
                ErrorKind::Invalid
            }
            _ => ErrorKind::Failed,
        };
        Self { kind, message }
    }
}
