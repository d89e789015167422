//! The error of a task: a message that names the file or program and the cause.

use std::{fmt, path::Path};

/// The result of a task, or of a step of one, with a message for the user on failure.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// The reason why a task failed: a message for the user, which names the cause and the file or program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    /// Creates a failure from its message.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Creates the failure of a file operation; `verb` is the operation, such as `read`, and completes "cannot".
    pub(crate) fn file(verb: &str, path: &Path, error: &dyn fmt::Display) -> Self {
        Self(format!("cannot {verb} `{}`: {error}", path.display()))
    }

    /// Fails if there are findings. The message contains their number, `what` they are (a plural noun), and one finding
    /// per line.
    pub(crate) fn unless_empty(what: &str, findings: &[String]) -> Outcome {
        if findings.is_empty() {
            return Ok(());
        }
        Err(Self(format!("{} {what}:\n  {}", findings.len(), findings.join("\n  "))))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
