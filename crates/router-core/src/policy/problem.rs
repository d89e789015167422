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
    close(name, known).min().map(|(_, candidate)| candidate)
}

/// The known names in which a third of the letters are wrong, or two, but not all of them; with how many are.
fn close<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> impl Iterator<Item = (usize, &'a str)> {
    let length = name.chars().count();
    known.filter_map(move |candidate| {
        let letters = candidate.chars().count();
        let most = (letters / 3).max(2).min(letters.saturating_sub(1));
        // The lengths alone rule most out, and bound what a very long name costs.
        if most < length.abs_diff(letters) {
            return None;
        }
        let distance = strsim::damerau_levenshtein(name, candidate);
        (distance <= most).then_some((distance, candidate))
    })
}

/// `; did you mean …?`, or nothing.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// Up to three known names close to one that is not known, `@` in front.
pub(crate) fn nearest_names<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut close: Vec<_> = close(name, known).collect();
    close.sort_unstable();
    close.into_iter().take(3).map(|(_, candidate)| format!("`@{candidate}`")).collect()
}
