//! Errors of measurements.

use std::{io, path::PathBuf};

/// The reason why a set of prompts cannot be read or measured.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A file or folder cannot be read.
    #[error("cannot read `{}`: {cause}", path.display())]
    Read {
        /// The path of the file or folder.
        path: PathBuf,
        /// The error of the file system.
        cause: io::Error,
    },
    /// A line of a file is not a prompt with outcomes.
    #[error("line {line} of `{}` is not a prompt with outcomes of models: {cause}", path.display())]
    Line {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The error of the parser.
        cause: serde_json::Error,
    },
    /// The folder has no data.
    #[error("there is no `*.jsonl.gz` with prompts in `{}`", folder.display())]
    NoSets {
        /// The path of the folder.
        folder: PathBuf,
    },
    /// Fewer than two models have an outcome for every prompt.
    #[error("fewer than two models of the set `{set}` have answered all of its prompts")]
    TooFewModels {
        /// The name of the set.
        set: String,
    },
    /// The set is too small to have test turns.
    #[error("the set `{set}` is too small: it has no test turns")]
    NoTestTurns {
        /// The name of the set.
        set: String,
    },
    /// A line of a set of skills is neither a skill nor a request, or names a skill that the set does not have.
    #[error("line {line} of `{}` is not a skill or a request for one of the skills above it: {cause}", path.display())]
    SkillLine {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The reason.
        cause: String,
    },
    /// The folder has no requests with skills.
    #[error("there is no `*.jsonl` with skills and requests in `{}`", folder.display())]
    NoSkillSets {
        /// The path of the folder.
        folder: PathBuf,
    },
    /// The labelled cases of a folder, or its skills, cannot be used.
    #[error("{finding}")]
    Cases {
        /// The problem, with file and line if it has one.
        finding: String,
    },
    /// Figures are below their floors.
    #[error("below the floor: {}", figures.join(", "))]
    BelowFloor {
        /// Each figure with its floor.
        figures: Vec<String>,
    },
    /// A measuring thread panicked.
    #[error("the measurement of the set `{set}` was aborted")]
    Stopped {
        /// The name of the set.
        set: String,
    },
}
