//! Scope penalty: trivial and general tasks that need no skill (003 No-Skill Conditions).

use std::collections::BTreeSet;

use super::{components::MAX_SCOPE, terms::term};

/// The penalty if the skill knows one other word of a generic request.
const ONE_DOMAIN_TERM: u8 = 8;

/// Verbs of generic editing, formatting and summarisation, in any of their forms.
const GENERIC_VERBS: &[&str] =
    &["rename", "reformat", "format", "reword", "rephrase", "summarize", "summarise", "shorten", "proofread", "indent"];

/// Nouns of generic editing, which make `fix`, `correct` and `remove` generic as well.
const GENERIC_NOUNS: &[&str] = &["typo", "spelling", "whitespace", "grammar", "punctuation", "wording", "paragraph"];

/// Verbs that are generic beside one of [`GENERIC_NOUNS`].
const VERBS_OF_CORRECTION: &[&str] = &["fix", "correct", "remove", "repair", "change", "edit", "improve"];

/// The terms that mark a request as generic.
#[derive(Debug, Clone)]
pub(super) struct GenericWords {
    /// The terms of generic verbs.
    verbs: BTreeSet<String>,
    /// The terms of generic nouns.
    nouns: BTreeSet<String>,
    /// The terms of verbs that are generic beside such a noun.
    corrections: BTreeSet<String>,
}

impl GenericWords {
    /// Creates the terms of generic verbs and nouns.
    pub(super) fn new() -> Self {
        let terms = |words: &[&str]| words.iter().filter_map(|word| term(word)).collect();
        Self { verbs: terms(GENERIC_VERBS), nouns: terms(GENERIC_NOUNS), corrections: terms(VERBS_OF_CORRECTION) }
    }

    /// Returns whether a term is a generic one.
    pub(super) fn contains(&self, term: &str) -> bool {
        self.verbs.contains(term) || self.nouns.contains(term)
    }

    /// Removes the generic terms of a request, since they are no evidence for a skill; `request` has the term and the word
    /// of each. Returns whether there was one.
    pub(super) fn remove_from<W>(&self, request: &mut Vec<(String, W)>) -> bool {
        let has_noun = request.iter().any(|(term, _)| self.nouns.contains(term));
        let before = request.len();
        request.retain(|(term, _)| !self.contains(term));
        let is_generic = request.len() != before;
        if has_noun {
            request.retain(|(term, _)| !self.corrections.contains(term));
        }
        is_generic
    }
}

/// Returns the penalty of a skill: 15 if the request is generic and the skill knows none of its other words, 8 if it knows
/// one, and otherwise 0. `matched` is the number of the other words that the skill knows.
pub(super) const fn scope_penalty(is_generic: bool, matched: usize) -> u8 {
    match matched {
        0 if is_generic => MAX_SCOPE,
        1 if is_generic => ONE_DOMAIN_TERM,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::terms::terms, *};

    /// Returns the penalty for a request to a skill that knows the words of `known`.
    fn penalty(request: &str, known: &str) -> u8 {
        let known = terms(known);
        let mut request: Vec<_> = terms(request).into_iter().map(|term| (term, ())).collect();
        let is_generic = GenericWords::new().remove_from(&mut request);
        scope_penalty(is_generic, request.iter().filter(|(term, ())| known.contains(term)).count())
    }

    /// SC-15, SC-28: a trivial task has the full penalty, unless the skill knows its subject.
    #[test]
    fn a_trivial_task_has_a_penalty_that_domain_words_reduce() {
        assert_eq!(penalty("fix the typo in README", "database migrations"), 15);
        assert_eq!(penalty("fix the typo in README", "proposes how to fix defects"), 15);
        assert_eq!(penalty("reformat this paragraph", "paragraph formatting"), 15);
        assert_eq!(penalty("rename the database column", "database migrations"), 8);
        assert_eq!(penalty("rename the database column in the migration", "database migrations"), 0);
        assert_eq!(penalty("add a database column", "stories"), 0);
    }
}
