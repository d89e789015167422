//! [`Failure`], the error type of commands, and its exit codes.

use std::{path::Path, process::ExitCode};

use control::{ControlError, ErrorKind, with_causes};
use engine::EngineError;
use event_bus::LogError;

/// The error of a command. Its kind determines the exit code of the process.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command completed with a negative result, such as a failed check, which it has printed. Exit code 1.
    Negative,
    /// An argument or a configuration file is invalid. Exit code 2.
    Invalid(String),
    /// The command could not be executed. Exit code 3.
    Failed(String),
}

impl Failure {
    /// Returns the exit code: 1, 2 or 3.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Negative => 1,
            Self::Invalid(_) => 2,
            Self::Failed(_) => 3,
        })
    }

    /// Returns the error message; `None` if the command has already printed its result.
    pub(crate) fn message(&self) -> Option<&str> {
        match self {
            Self::Negative => None,
            Self::Invalid(message) | Self::Failed(message) => Some(message),
        }
    }

    /// Creates the failure of a file operation; `action` is the verb of the message, such as `read`.
    pub(crate) fn file(action: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::Failed(format!("cannot {action} `{}`: {error}", path.display()))
    }
}

impl From<ControlError> for Failure {
    fn from(error: ControlError) -> Self {
        match error.kind {
            ErrorKind::Invalid => Self::Invalid(error.message),
            ErrorKind::Failed => Self::Failed(error.message),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        ControlError::from(error).into()
    }
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        Self::Failed(with_causes(&error))
    }
}

impl From<what_if::WhatIfError> for Failure {
    fn from(error: what_if::WhatIfError) -> Self {
        match error {
            what_if::WhatIfError::Engine(error) => error.into(),
            error => Self::Failed(with_causes(&error)),
        }
    }
}

impl From<event_bus::BusError> for Failure {
    fn from(error: event_bus::BusError) -> Self {
        Self::Failed(with_causes(&error))
    }
}
