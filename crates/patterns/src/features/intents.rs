//! What a message seems to ask for.

use std::sync::LazyLock;

use contracts::{IntentTag, IntentTags};
use regex::{RegexSet, RegexSetBuilder};

/// So many bytes of a message are looked at.
pub const TEXT_BYTES: usize = 8 * 1024;

/// One pattern for each tag, in the order of [`IntentTag::ALL`]. Words end at ASCII boundaries.
const PATTERNS: [&str; IntentTag::ALL.len()] = [
    r"\b(commit|stage|git\s+add)\b",
    r"\b(refactor|rename|extract|inline|cleanup|simplif)\w*\b",
    r"\b(architect\w*|design|module|abstraction|interface)\b",
    r"\b(debug|bug|error|stack\s*trace|broken|fails?)\b",
    r"\b(doc|docs|document|readme|comment|docstring)\b",
    r"\b(test|tests|pytest|unit\s*test|e2e)\b",
];

#[expect(clippy::expect_used, reason = "the patterns are literals that a test compiles")]
static SET: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSetBuilder::new(PATTERNS).case_insensitive(true).unicode(false).build().expect("the intent patterns compile")
});

/// The tags of a message, from its first [`TEXT_BYTES`].
pub fn intent_tags(message: &str) -> IntentTags {
    let text = &message[..message.floor_char_boundary(TEXT_BYTES)];
    SET.matches(text).into_iter().filter_map(|index| IntentTag::ALL.get(index).copied()).collect()
}
