//! [`ControlError`], the error of an operation, in the form that is sent over the socket.

use std::error::Error;

use engine::{EngineError, ExchangeError};
use serde::{Deserialize, Serialize};

/// Kind of an operation's error, which determines the exit code of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The request is invalid: an unknown turn, model or session, or an unusable file of the user.
    Invalid,
    /// The request is valid, but its execution failed.
    Failed,
}

/// Error of an operation, with the message for the user. The operation was not executed, unless the connection to the
/// gateway failed after the request was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ControlError {
    /// Kind of the error.
    pub kind: ErrorKind,
    /// Message for the user: the error, its causes and the next step.
    pub message: String,
}

impl ControlError {
    /// Creates the error of an invalid request.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Invalid, message: message.into() }
    }

    /// Creates the error of a valid request whose execution failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Failed, message: message.into() }
    }
}

/// Formats an error followed by its causes, separated by colons. A cause that the text already contains is omitted,
/// since some errors repeat their cause.
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
            | EngineError::UnknownSkillDecision(_)
            | EngineError::SkillName(_)
            | EngineError::NothingDecided
            | EngineError::NoSuggestion(_)
            | EngineError::SuggestionDecided { .. }
            | EngineError::TurnEnded(_)
            | EngineError::TextForbidden
            | EngineError::Exchange(ExchangeError::Line { .. } | ExchangeError::NotAContinuation { .. }) => {
                ErrorKind::Invalid
            }
            EngineError::Log(_)
            | EngineError::Bus(_)
            | EngineError::Projection(_)
            | EngineError::Codec(_)
            | EngineError::File { .. }
            | EngineError::Skills(_)
            | EngineError::Exchange(ExchangeError::Io(_)) => ErrorKind::Failed,
        };
        Self { kind, message }
    }
}
