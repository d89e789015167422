//! A naive implementation of intents: one regular expression for each.

use contracts::{IntentTag, IntentTags};
use patterns::features::SCANNED_BYTES;
use regex::{RegexSet, RegexSetBuilder};

/// The regular expression of each intent, in the order of [`IntentTag::ALL`].
const PATTERNS: [&str; IntentTag::ALL.len()] = [
    r"\b(commit|stage|git\s+add)\b",
    r"\b(refactor|rename|extract|inline|cleanup|simplif)\w*\b",
    r"\b(architect\w*|design|module|abstraction|interface)\b",
    r"\b(debug|bug|error|stack\s*trace|broken|fails?)\b",
    r"\b(doc|docs|document|readme|comment|docstring)\b",
    r"\b(test|tests|pytest|unit\s*test|e2e)\b",
];

/// Returns the regular expressions of all intents.
pub(crate) fn expressions() -> RegexSet {
    RegexSetBuilder::new(PATTERNS).case_insensitive(true).unicode(false).build().unwrap()
}

/// Returns the intents whose expressions match in the first [`SCANNED_BYTES`] of a message.
pub(crate) fn intent_tags(expressions: &RegexSet, message: &str) -> IntentTags {
    let text = &message[..message.floor_char_boundary(SCANNED_BYTES)];
    expressions.matches(text).into_iter().filter_map(|index| IntentTag::ALL.get(index).copied()).collect()
}
