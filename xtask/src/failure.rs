//! The error of a task: a message that names the file or program and the cause.

use std::{fmt, path::Path};

/// The result of a task.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// The reason why a task failed, as a message for the user.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A failed operation on a file; `verb` completes "cannot".
    pub(crate) fn file(verb: &str, path: &Path, error: &dyn fmt::Display) -> Self {
        Self(format!("cannot {verb} `{}`: {error}", path.display()))
    }

    /// Fails if there are findings, with one per line under a heading that counts them as `what`.
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
