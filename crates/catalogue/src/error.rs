//! What is wrong with a file of models, and where.

use std::fmt;

/// One thing that is wrong with a file of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueError {
    /// The file, as the caller names it.
    pub file: String,
    /// Line and column, both from 1, when it is at one place.
    pub place: Option<(u64, u64)>,
    /// What is wrong, and what to do about it.
    pub cause: String,
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "{}, line {line}, column {column}: {}", self.file, self.cause),
            None => write!(f, "{}: {}", self.file, self.cause),
        }
    }
}

/// Everything that is wrong with the models, one error a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CatalogueErrors(pub Vec<CatalogueError>);

impl CatalogueErrors {
    /// In the order of the file.
    pub(super) fn sorted(mut errors: Vec<CatalogueError>) -> Self {
        errors.sort_by(|one, other| (&one.file, one.place).cmp(&(&other.file, other.place)));
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
