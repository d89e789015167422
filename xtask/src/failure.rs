//! What stops a task: a text that says which file or program, and what was wrong with it.

use std::{fmt, path::Path};

/// How a task ends.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// Why a task failed, for the person who ran it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// What went wrong with a file, as in `cannot read` it.
    pub(crate) fn file(verb: &str, path: &Path, error: &dyn fmt::Display) -> Self {
        Self(format!("cannot {verb} `{}`: {error}", path.display()))
    }

    /// Nothing when the list is empty, otherwise the list, one finding per line.
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
