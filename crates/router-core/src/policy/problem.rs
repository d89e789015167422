//! What is wrong with a policy file, and where.

use std::fmt;

/// One thing that is wrong. The file is named by whoever shows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Problem {}

/// The known name closest to one that is not known, if any is close.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| is_close(*distance, candidate))
        .min()
        .map(|(_, candidate)| candidate)
}

/// A third of the letters may be wrong, or two, but not all of them.
fn is_close(distance: usize, candidate: &str) -> bool {
    distance <= (candidate.len() / 3).max(2) && distance < candidate.len()
}

/// `; did you mean …?`, or nothing.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// Up to three known names close to one that is not known, `@` in front.
pub(crate) fn nearest_names<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut close: Vec<_> = known
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| is_close(*distance, candidate))
        .collect();
    close.sort_unstable();
    close.into_iter().take(3).map(|(_, candidate)| format!("`@{candidate}`")).collect()
}
