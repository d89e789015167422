//! The text predicates of a policy (conditions on the text of the message), evaluated in one pass over the message
//! (decision D9).
//!
//! A pattern is parsed and its cost computed when the policy is loaded, so an invalid pattern is an error of the
//! policy. It is compiled when it is first needed. Literals that every match of a pattern must contain are searched
//! first, all at once, and only patterns whose literals were found are run. Two hundred patterns with literals therefore
//! cost little more than ten.

mod cost;
mod finder;
mod index;
mod pattern;

use std::{
    collections::{BTreeMap, VecDeque, btree_map},
    sync::{Mutex, OnceLock, PoisonError},
};

use cost::Cost;
use index::Index;
pub(crate) use pattern::{Pattern, PatternError};

/// The maximum number of text predicates of a policy.
const MAX_PREDICATES: usize = 4_000;
/// The length in bytes of the start of a message that is searched, rounded down to a character boundary (decision D38).
pub(crate) const MAX_SEARCHED_BYTES: usize = 256 * 1024;

/// A condition of a policy on the text of a message.
#[derive(Debug)]
enum TextPredicate {
    /// The message matches this regular expression.
    Pattern(Pattern),
    /// The message contains one of these texts, ignoring case; they are stored in lower case.
    Needles(Vec<String>),
}

/// The kind of a text predicate, as a part of its identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TextPredicateKind {
    /// A regular expression.
    Pattern,
    /// A list of texts.
    Needles,
}

/// The text predicates of a policy. Each has a number; equal predicates have the same number, so that rules with the
/// same condition compare as equal.
#[derive(Debug, Default)]
pub(crate) struct TextSet {
    /// The predicates, by number.
    entries: Vec<TextPredicate>,
    /// The number of each predicate, by its kind and its texts.
    numbers: BTreeMap<(TextPredicateKind, Vec<String>), u16>,
    /// The total cost of all patterns so far, including patterns that are not matched against the message.
    cost: Cost,
    /// The search index, built when a message is first searched.
    index: OnceLock<Index>,
    /// The results for the texts of the latest calls of [`TextSet::prepare`].
    prepared: Mutex<VecDeque<(Box<str>, Matches)>>,
}

/// The number of texts whose results are remembered: more than one import request has, and at most 16 MiB.
const MAX_PREPARED: usize = 64;
/// The length from which a text is remembered, in bytes. Shorter ones are searched in less time than they are compared.
const MIN_PREPARED_BYTES: usize = 64;

/// The numbers of the text predicates that hold for a message, stored as a bit set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matches(Vec<u64>);

impl Matches {
    /// Returns whether the predicate with this number holds.
    pub(crate) fn contains(&self, number: u16) -> bool {
        let (word, bit) = (usize::from(number) / 64, number % 64);
        self.0.get(word).is_some_and(|word| word & (1 << bit) != 0)
    }

    /// Creates the set of the predicates with these numbers.
    pub(crate) fn from_numbers(numbers: &[u16]) -> Self {
        let mut matches = Self(Vec::new());
        for &number in numbers {
            matches.insert(number);
        }
        matches
    }

    /// Returns the numbers of the predicates that hold, in ascending order.
    pub(crate) fn numbers(&self) -> Vec<u16> {
        let words = (0_u16..).step_by(64).zip(&self.0).filter(|(_, word)| **word != 0);
        words
            .flat_map(|(first_number, word)| {
                (first_number..).take(64).zip(0..).filter(move |(_, bit)| word & (1_u64 << bit) != 0)
            })
            .map(|(number, _)| number)
            .collect()
    }

    /// Adds the number of a predicate that holds.
    fn insert(&mut self, number: u16) {
        let (word, bit) = (usize::from(number) / 64, number % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << bit;
    }
}

impl TextSet {
    /// Returns whether the policy has no text predicate.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Creates a pattern that is matched against another text than the message. It counts towards the total cost.
    ///
    /// # Errors
    /// [`PatternError`] if the pattern is invalid or too expensive.
    pub(crate) fn pattern(&mut self, text: &str) -> Result<Pattern, PatternError> {
        Pattern::new(text, &mut self.cost)
    }

    /// Adds a regular expression that is matched against the message. Returns its number.
    ///
    /// # Errors
    /// [`PatternError`] if the pattern is invalid or too expensive, or if there are too many predicates.
    pub(crate) fn add_pattern(&mut self, text: &str) -> Result<u16, PatternError> {
        self.add_predicate(TextPredicateKind::Pattern, vec![text.to_owned()], |cost| {
            Ok(TextPredicate::Pattern(Pattern::new(text, cost)?))
        })
    }

    /// Adds a list of texts of which the message must contain one; case is ignored. Returns the number of the
    /// predicate.
    ///
    /// # Errors
    /// [`PatternError::TooMany`] if there are too many predicates.
    pub(crate) fn add_needles(&mut self, needles: &[&str]) -> Result<u16, PatternError> {
        let needles: Vec<_> = needles.iter().map(|needle| needle.to_lowercase()).collect();
        self.add_predicate(TextPredicateKind::Needles, needles.clone(), |_| Ok(TextPredicate::Needles(needles)))
    }

    /// Returns the number of the text predicate with this kind and these texts. A new predicate is created with
    /// `create`, which adds its cost to the total.
    ///
    /// # Errors
    /// [`PatternError`] if there are too many predicates, or the error of `create`.
    fn add_predicate(
        &mut self,
        kind: TextPredicateKind,
        texts: Vec<String>,
        create: impl FnOnce(&mut Cost) -> Result<TextPredicate, PatternError>,
    ) -> Result<u16, PatternError> {
        let next_number = self.entries.len();
        match self.numbers.entry((kind, texts)) {
            btree_map::Entry::Occupied(existing) => Ok(*existing.get()),
            btree_map::Entry::Vacant(vacant) => {
                let number = u16::try_from(next_number).ok().filter(|_| next_number < MAX_PREDICATES);
                let number = number.ok_or(PatternError::TooMany { limit: MAX_PREDICATES })?;
                self.entries.push(create(&mut self.cost)?);
                Ok(*vacant.insert(number))
            }
        }
    }

    /// The number of states of a predicate that may be active for each byte of a message; 0 for texts without a pattern.
    pub(crate) fn states(&self, number: u16) -> u64 {
        match self.entries.get(usize::from(number)) {
            Some(TextPredicate::Pattern(pattern)) => pattern.states(),
            Some(TextPredicate::Needles(_)) | None => 0,
        }
    }

    /// The number of states of all predicates together.
    pub(crate) fn total_states(&self) -> u64 {
        (0..).take(self.entries.len()).map(|number| self.states(number)).sum()
    }

    /// Evaluates all predicates on a message and remembers the result, so that [`TextSet::matches`] does not evaluate them
    /// again soon.
    pub(crate) fn prepare(&self, message: &str) {
        let text = remembered_part(message);
        if self.entries.is_empty() || text.len() < MIN_PREPARED_BYTES || self.prepared_matches(text).is_some() {
            return;
        }
        let matches = self.evaluate(message);
        let mut cache = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() == MAX_PREPARED {
            cache.pop_front();
        }
        cache.push_back((text.into(), matches));
    }

    /// Returns the remembered result for the part of a message that decides it; `None` if there is none.
    fn prepared_matches(&self, text: &str) -> Option<Matches> {
        let prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        prepared.iter().find(|(known, _)| **known == *text).map(|(_, matches)| matches.clone())
    }

    /// Evaluates all predicates on a message, unless their result is remembered.
    pub(crate) fn matches(&self, message: &str) -> Matches {
        let text = remembered_part(message);
        let prepared = (MIN_PREPARED_BYTES <= text.len()).then(|| self.prepared_matches(text)).flatten();
        prepared.unwrap_or_else(|| self.evaluate(message))
    }

    /// Evaluates all text predicates on a message, without the cache.
    fn evaluate(&self, message: &str) -> Matches {
        let searched_text = &message[..message.floor_char_boundary(MAX_SEARCHED_BYTES)];
        let mut matches = Matches(vec![0; self.entries.len().div_ceil(64)]);
        if self.entries.is_empty() {
            return matches;
        }
        let index = self.index.get_or_init(|| Index::new(&self.entries));
        index.matching_needles(searched_text).for_each(|number| matches.insert(number));
        for number in index.candidates(searched_text) {
            if let Some(TextPredicate::Pattern(pattern)) = self.entries.get(usize::from(number))
                && pattern.is_match_in_first(searched_text.len(), message)
            {
                matches.insert(number);
            }
        }
        matches
    }

    /// Formats the predicate with this number as text for explanations.
    pub(crate) fn describe(&self, number: u16) -> String {
        match self.entries.get(usize::from(number)) {
            Some(TextPredicate::Pattern(pattern)) => format!("message matches /{}/", pattern.text()),
            Some(TextPredicate::Needles(needles)) => format!("message contains any of {}", needles.join(", ")),
            None => format!("text predicate {number}"),
        }
    }
}

/// Returns the start of a message that determines which predicates hold: the searched bytes, and the character after
/// them, which anchors and word boundaries test.
fn remembered_part(message: &str) -> &str {
    &message[..message.floor_char_boundary(MAX_SEARCHED_BYTES + char::MAX_LEN_UTF8 * 2)]
}

#[cfg(test)]
mod tests;
