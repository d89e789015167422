//! The lines of a session file that were not used: unusable ones, and ones dropped by design.

use std::{collections::BTreeMap, fmt, path::PathBuf};

/// A line of a session file that could not be used, with the reason for the user. Other lines are not affected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Path of the file.
    pub file: PathBuf,
    /// Number of the line, from 1.
    pub line: u64,
    /// Description of the problem, without text of the user.
    pub cause: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: {}", self.file.display(), self.line, self.cause)
    }
}

/// Counts of the lines of a session file that were dropped by design, for the summary of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Number of lines that repeat earlier lines of the file or lines of another file.
    pub repeated: u64,
    /// Number of lines of each type that is unknown or not supported.
    pub unknown: BTreeMap<String, u64>,
}

impl Skipped {
    /// Counts a line of an unknown type under the first 64 bytes of `kind`, or under `(others)` if there are too many
    /// types.
    pub(crate) fn count_unknown(&mut self, kind: &str) {
        /// Maximum number of types that are counted separately, to limit memory.
        const MAX_TYPES: usize = 1_000;
        let kind = if kind.is_empty() { "(no type)" } else { kind };
        let kind = &kind[..kind.floor_char_boundary(64)];
        let is_counted_separately = self.unknown.contains_key(kind) || self.unknown.len() < MAX_TYPES;
        *self.unknown.entry(if is_counted_separately { kind } else { "(others)" }.to_owned()).or_default() += 1;
    }
}

/// Formats an error of parsing JSON for the user. Leaves out serde's line number, which is always 1, and the value
/// found, which may be text of the user (decision D15).
pub(crate) fn describe_json_error(error: &serde_json::Error) -> String {
    let text = error.to_string().replace(" at line 1 column ", " at column ");
    match text.rsplit_once(", expected ") {
        Some((_, expected)) if error.is_data() => format!("expected {expected}"),
        _ => text,
    }
}
