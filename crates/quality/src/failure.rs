//! Why a measurement cannot be made.

use std::{io, path::PathBuf};

/// Why a measurement cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A file or a folder.
    #[error("cannot read `{}`: {cause}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// A line of a file is not a prompt with its models.
    #[error("line {line} of `{}` is not a prompt with outcomes of models: {cause}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// Why.
        cause: serde_json::Error,
    },
    /// A folder without data.
    #[error("there is no `*.jsonl.gz` with prompts in `{}`", folder.display())]
    NoSets {
        /// Which.
        folder: PathBuf,
    },
    /// Nothing to choose from.
    #[error("fewer than two models of the set `{set}` have answered all of its prompts")]
    TooFewModels {
        /// Which set.
        set: String,
    },
    /// Nothing to ask about.
    #[error("the set `{set}` is too small: no turn is left to ask about")]
    NothingAsked {
        /// Which set.
        set: String,
    },
    /// A defect of the measurement.
    #[error("the measurement of the set `{set}` stopped in the middle")]
    Stopped {
        /// Which set.
        set: String,
    },
}
