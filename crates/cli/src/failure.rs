//! How a command fails, and with which exit code.

use std::{error::Error, process::ExitCode};

use engine::EngineError;
use event_bus::LogError;

/// A command that did not end well.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It did its work and the answer is no; everything was said already.
    No,
    /// It was not understood, or a file of the user's cannot be used.
    Wrong(String),
    /// It could not be done.
    NotDone(String),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::No => 1,
            Self::Wrong(_) => 2,
            Self::NotDone(_) => 3,
        })
    }

    pub(crate) fn message(&self) -> Option<&str> {
        match self {
            Self::No => None,
            Self::Wrong(message) | Self::NotDone(message) => Some(message),
        }
    }

    /// A file that cannot be read or written.
    pub(crate) fn file(action: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::NotDone(format!("cannot {action} `{}`: {error}", path.display()))
    }
}

/// An error with everything that led to it, on one line each.
pub(crate) fn whole(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        // Some errors repeat their cause in their own text.
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let text = whole(&error);
        match error {
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
            | EngineError::Exchange(
                engine::ExchangeError::Line { .. } | engine::ExchangeError::NotAContinuation { .. },
            ) => Self::Wrong(text),
            _ => Self::NotDone(text),
        }
    }
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        Self::NotDone(whole(&error))
    }
}

impl From<what_if::WhatIfError> for Failure {
    fn from(error: what_if::WhatIfError) -> Self {
        match error {
            what_if::WhatIfError::Engine(error) => error.into(),
            error => Self::NotDone(whole(&error)),
        }
    }
}

impl From<event_bus::BusError> for Failure {
    fn from(error: event_bus::BusError) -> Self {
        Self::NotDone(whole(&error))
    }
}
