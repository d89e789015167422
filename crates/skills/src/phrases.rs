//! [`PhraseIndex`], which searches a request for all phrases of all skills in one pass.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, BuildError};

use crate::text::{RequestText, Span, normalized_phrase};

/// The number of a phrase of a [`PhraseIndex`].
pub(crate) type PhraseId = usize;

/// A phrase of the index that occurs in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Occurrence {
    /// The tokens of the request.
    pub(crate) span: Span,
    /// The phrase.
    pub(crate) phrase: PhraseId,
}

/// Collects the phrases of an index. Phrases that are equal after normalization have one number.
#[derive(Debug, Default)]
pub(crate) struct PhraseList {
    /// The number of each normalized phrase.
    numbers: BTreeMap<String, PhraseId>,
    /// The normalized phrases by number.
    phrases: Vec<String>,
}

impl PhraseList {
    /// Adds a phrase and returns its number; `None` if it has no word that is searched.
    pub(crate) fn add(&mut self, phrase: &str) -> Option<PhraseId> {
        let normalized = normalized_phrase(phrase);
        if normalized.is_empty() {
            return None;
        }
        let next = self.phrases.len();
        let number = *self.numbers.entry(normalized.clone()).or_insert(next);
        if number == next {
            self.phrases.push(normalized);
        }
        Some(number)
    }

    /// Builds the index of the phrases.
    ///
    /// # Errors
    /// [`BuildError`] if the phrases are together longer than an automaton supports, some hundred megabytes.
    pub(crate) fn build(self) -> Result<PhraseIndex, BuildError> {
        AhoCorasick::new(&self.phrases).map(|automaton| PhraseIndex { automaton })
    }
}

/// A search for the phrases of all skills, built once for an index of skills. The duration of a search depends on the
/// length of the text, not on the number of phrases.
#[derive(Debug)]
pub(crate) struct PhraseIndex {
    /// The automaton, whose pattern numbers are those of the phrases.
    automaton: AhoCorasick,
}

impl PhraseIndex {
    /// Returns all phrases that occur in a request, also overlapping ones, in the order of their ends.
    pub(crate) fn find(&self, text: &RequestText) -> Vec<Occurrence> {
        let found = self.automaton.find_overlapping_iter(text.stream());
        found
            .map(|found| Occurrence { span: text.span(found.start(), found.end()), phrase: found.pattern().as_usize() })
            .collect()
    }
}
