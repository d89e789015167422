//! Errors in files of models, with their location.

use std::fmt;

/// An error in a file of models: its location, and its description for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueError {
    /// Name of the file, as given by the caller.
    pub file: String,
    /// Line and column, both from 1; `None` if the error has no single location.
    pub position: Option<(u64, u64)>,
    /// Description of the error and how to fix it.
    pub cause: String,
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some((line, column)) => write!(f, "{}, line {line}, column {column}: {}", self.file, self.cause),
            None => write!(f, "{}: {}", self.file, self.cause),
        }
    }
}

/// All errors found in the files of models. Displayed as one line for each error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CatalogueErrors(pub Vec<CatalogueError>);

impl CatalogueErrors {
    /// Creates the list of these errors, sorted by file and location.
    pub(super) fn sorted(mut errors: Vec<CatalogueError>) -> Self {
        errors.sort_by(|left, right| (&left.file, left.position).cmp(&(&right.file, right.position)));
        Self(errors)
    }
}

impl fmt::Display for CatalogueErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for CatalogueErrors {}
