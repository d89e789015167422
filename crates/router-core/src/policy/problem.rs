//! Problems of a policy file with their positions, and suggestions for misspelt names.

use std::fmt;

/// One problem of a policy file, with its position. The name of the file is not included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The description of the problem and of its solution, without the position.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Problem {}

/// Returns the known name with the lowest edit distance from `name`, the first in alphabetical order in a tie. `None`
/// if no known name is similar.
pub(crate) fn nearest_name<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    similar_names(name, known).min().map(|(_, candidate)| candidate)
}

/// Returns the known names that are similar to `name`, each with its edit distance: at most a third of the known name's
/// length, but at least 2, and less than its whole length.
fn similar_names<'a>(name: &str, known_names: impl Iterator<Item = &'a str>) -> impl Iterator<Item = (usize, &'a str)> {
    let length = name.chars().count();
    known_names.filter_map(move |candidate| {
        let letters = candidate.chars().count();
        let max_distance = (letters / 3).max(2).min(letters.saturating_sub(1));
        // The difference in length excludes most names, and bounds the cost of a very long name.
        if max_distance < length.abs_diff(letters) {
            return None;
        }
        let distance = strsim::damerau_levenshtein(name, candidate);
        (distance <= max_distance).then_some((distance, candidate))
    })
}

/// Formats a suggestion, `; did you mean …?`, that can be appended to a message about an unknown name. Empty if no
/// known name is similar.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest_name(name, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// Returns whether `name` may be `known` with a typing error: their edit distance is at most 2, or at most 1 if `known`
/// has up to three letters. Also `true` for equal names.
pub(crate) fn is_typo_of(name: &str, known: &str) -> bool {
    let letters = known.chars().count();
    let max_distance = if letters <= 3 { 1 } else { 2 };
    // The difference in length excludes most names, and bounds the cost of a very long name.
    name.chars().count().abs_diff(letters) <= max_distance && strsim::damerau_levenshtein(name, known) <= max_distance
}

/// Returns up to three known names similar to `name`, the most similar first, each as `@name` in backquotes.
pub(crate) fn nearest_names<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut similar: Vec<_> = similar_names(name, known).collect();
    similar.sort_unstable();
    similar.into_iter().take(3).map(|(_, candidate)| format!("`@{candidate}`")).collect()
}
