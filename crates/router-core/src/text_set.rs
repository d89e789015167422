//! The text predicates of a policy, evaluated in one pass over the message (decision D9).
//!
//! A pattern is parsed and its cost computed when the policy is loaded, so an invalid one is a load error. It is
//! compiled when it is first needed. Literals that every match of a pattern must contain are searched first, all at
//! once, and only patterns whose literals were found are run. A thousand patterns therefore cost little more than ten.

mod cost;
mod finder;
mod index;
mod pattern;

use std::{
    collections::{BTreeMap, btree_map},
    sync::OnceLock,
};

use cost::Cost;
use index::Index;
pub(crate) use pattern::{Pattern, PatternError};

/// The maximum number of text predicates of a policy.
const MAX_PREDICATES: usize = 4_000;
/// The length of the searched start of a message, in bytes, rounded down to a character boundary (decision D38).
pub(crate) const MAX_SEARCHED_BYTES: usize = 256 * 1024;

#[derive(Debug)]
enum Entry {
    Pattern(Pattern),
    /// Texts in lower case, of which one must occur.
    Needles(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Pattern,
    Needles,
}

/// The text predicates of a policy, numbered. Equal predicates have the same number, so that rules with the same
/// condition compare as equal.
#[derive(Debug, Default)]
pub(crate) struct TextSet {
    entries: Vec<Entry>,
    numbers: BTreeMap<(Kind, Vec<String>), u16>,
    /// The total cost of all patterns so far, including patterns for other texts than the message.
    cost: Cost,
    index: OnceLock<Index>,
}

/// The numbers of the text predicates that hold for a message, as a bit set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matches(Vec<u64>);

impl Matches {
    pub(crate) fn contains(&self, number: u16) -> bool {
        let (word, bit) = (usize::from(number) / 64, number % 64);
        self.0.get(word).is_some_and(|word| word & (1 << bit) != 0)
    }

    pub(crate) fn from_numbers(numbers: &[u16]) -> Self {
        let mut matches = Self(Vec::new());
        for &number in numbers {
            matches.insert(number);
        }
        matches
    }

    pub(crate) fn numbers(&self) -> Vec<u16> {
        let words = (0_u16..).step_by(64).zip(&self.0).filter(|(_, word)| **word != 0);
        words
            .flat_map(|(first, word)| (first..).take(64).zip(0..).filter(move |(_, bit)| word & (1_u64 << bit) != 0))
            .map(|(number, _)| number)
            .collect()
    }

    fn insert(&mut self, number: u16) {
        let (word, bit) = (usize::from(number) / 64, number % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << bit;
    }
}

impl TextSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Creates a pattern that is matched against something else than the message; it counts towards the total cost.
    pub(crate) fn pattern(&mut self, text: &str) -> Result<Pattern, PatternError> {
        Pattern::new(text, &mut self.cost)
    }

    pub(crate) fn add_pattern(&mut self, text: &str) -> Result<u16, PatternError> {
        self.add(Kind::Pattern, vec![text.to_owned()], |cost| Ok(Entry::Pattern(Pattern::new(text, cost)?)))
    }

    pub(crate) fn add_needles(&mut self, needles: &[&str]) -> Result<u16, PatternError> {
        let needles: Vec<_> = needles.iter().map(|needle| needle.to_lowercase()).collect();
        self.add(Kind::Needles, needles.clone(), |_| Ok(Entry::Needles(needles)))
    }

    fn add(
        &mut self,
        kind: Kind,
        texts: Vec<String>,
        entry: impl FnOnce(&mut Cost) -> Result<Entry, PatternError>,
    ) -> Result<u16, PatternError> {
        let next = self.entries.len();
        match self.numbers.entry((kind, texts)) {
            btree_map::Entry::Occupied(existing) => Ok(*existing.get()),
            btree_map::Entry::Vacant(vacant) => {
                let number = u16::try_from(next).ok().filter(|_| next < MAX_PREDICATES);
                let number = number.ok_or(PatternError::TooMany { limit: MAX_PREDICATES })?;
                self.entries.push(entry(&mut self.cost)?);
                Ok(*vacant.insert(number))
            }
        }
    }

    /// Evaluates all predicates on a message.
    pub(crate) fn matches(&self, message: &str) -> Matches {
        let searched = &message[..message.floor_char_boundary(MAX_SEARCHED_BYTES)];
        let mut matches = Matches(vec![0; self.entries.len().div_ceil(64)]);
        if self.entries.is_empty() {
            return matches;
        }
        let index = self.index.get_or_init(|| Index::new(&self.entries));
        index.matching_needles(searched).for_each(|number| matches.insert(number));
        for number in index.candidates(searched) {
            if let Some(Entry::Pattern(pattern)) = self.entries.get(usize::from(number))
                && pattern.is_match_in_first(searched.len(), message)
            {
                matches.insert(number);
            }
        }
        matches
    }

    /// Describes the predicate with this number, for explanations.
    pub(crate) fn describe(&self, number: u16) -> String {
        match self.entries.get(usize::from(number)) {
            Some(Entry::Pattern(pattern)) => format!("message matches /{}/", pattern.text()),
            Some(Entry::Needles(needles)) => format!("message contains any of {}", needles.join(", ")),
            None => format!("text predicate {number}"),
        }
    }
}

#[cfg(test)]
mod tests;
