//! What became of lines that gave nothing: those that are wrong, and those that were dropped.

use std::{collections::BTreeMap, fmt, path::PathBuf};

/// A line that could not be used. It costs only itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub cause: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: {}", self.file.display(), self.line, self.cause)
    }
}

/// Lines that were dropped on purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Lines that had been seen before in the file, or that repeat what another file holds.
    pub repeated: u64,
    /// Lines of types this program has never heard of or does not read, by type.
    pub unknown: BTreeMap<String, u64>,
}

impl Skipped {
    pub(crate) fn count_unknown(&mut self, kind: &str) {
        /// So that a file of nothing but odd types does not fill the memory.
        const MOST_TYPES: usize = 1_000;
        let kind = if kind.is_empty() { "(no type)" } else { kind };
        let kind = &kind[..kind.floor_char_boundary(64)];
        let known = self.unknown.contains_key(kind) || self.unknown.len() < MOST_TYPES;
        *self.unknown.entry(if known { kind } else { "(others)" }.to_owned()).or_default() += 1;
    }
}

/// The error without the line number serde gives it, which is always 1, and without the value it found, which may be
/// what the user wrote (decision D15).
pub(crate) fn in_line(error: &serde_json::Error) -> String {
    let text = error.to_string().replace(" at line 1 column ", " at column ");
    match text.rsplit_once(", expected ") {
        Some((_, expected)) if error.is_data() => format!("expected {expected}"),
        _ => text,
    }
}
