//! Every text predicate of a policy, answered in one pass over the message (decision D9).
//!
//! A pattern is parsed and measured when the policy is loaded, so a bad one is a load error, and compiled when it
//! is first needed. Literals that every match of a pattern must contain are looked for first, all at once; only
//! patterns whose literals were found are run. So a thousand patterns cost little more than ten.

mod pattern;

use std::{
    collections::{BTreeMap, btree_map},
    sync::OnceLock,
};

use aho_corasick::{AhoCorasick, MatchKind};

pub(crate) use pattern::{Pattern, PatternError};

/// The most text predicates of a policy.
const MAX_PREDICATES: usize = 4_000;
/// Only this many bytes of a message are looked at, cut at a character.
const LOOKED_AT_BYTES: usize = 16 * 1024;

#[derive(Debug)]
enum Entry {
    Pattern(Pattern),
    /// Lower-case texts, any of which suffices.
    Needles(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Pattern,
    Needles,
}

/// The text predicates of a policy, by number. Equal ones have the same number, so two rules with the same
/// condition are seen to have it.
#[derive(Debug, Default)]
pub(crate) struct TextSet {
    entries: Vec<Entry>,
    numbers: BTreeMap<(Kind, Vec<String>), u16>,
    index: OnceLock<Index>,
}

/// What is looked for at once.
#[derive(Debug)]
struct Index {
    /// Literals of patterns, found in the message as it is.
    literals: Finder,
    /// Needles, found in the message in lower case.
    needles: Finder,
    /// Patterns without a literal, always run.
    always: Vec<u16>,
}

/// Texts to find, and which predicates each stands for.
#[derive(Debug)]
struct Finder {
    automaton: Option<AhoCorasick>,
    owners: Vec<u16>,
}

/// Which text predicates hold for a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matches(Vec<u64>);

impl Matches {
    pub(crate) fn has(&self, number: u16) -> bool {
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
        (0..).take(self.0.len() * 64).filter(|number| self.has(*number)).collect()
    }

    /// Whether the number was not there yet.
    fn insert(&mut self, number: u16) -> bool {
        let (word, bit) = (usize::from(number) / 64, number % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let fresh = self.0[word] & (1 << bit) == 0;
        self.0[word] |= 1 << bit;
        fresh
    }
}

impl TextSet {
    pub(crate) fn add_pattern(&mut self, text: &str) -> Result<u16, PatternError> {
        self.add(Kind::Pattern, vec![text.to_owned()], || Ok(Entry::Pattern(Pattern::new(text)?)))
    }

    pub(crate) fn add_needles(&mut self, needles: &[&str]) -> Result<u16, PatternError> {
        let needles: Vec<_> = needles.iter().map(|needle| needle.to_lowercase()).collect();
        self.add(Kind::Needles, needles.clone(), || Ok(Entry::Needles(needles)))
    }

    fn add(
        &mut self,
        kind: Kind,
        texts: Vec<String>,
        entry: impl FnOnce() -> Result<Entry, PatternError>,
    ) -> Result<u16, PatternError> {
        let next = self.entries.len();
        match self.numbers.entry((kind, texts)) {
            btree_map::Entry::Occupied(known) => Ok(*known.get()),
            btree_map::Entry::Vacant(vacant) => {
                let number = u16::try_from(next).ok().filter(|_| next < MAX_PREDICATES);
                let number = number.ok_or(PatternError::Many { most: MAX_PREDICATES })?;
                self.entries.push(entry()?);
                Ok(*vacant.insert(number))
            }
        }
    }

    /// Which predicates hold for a message.
    pub(crate) fn matches(&self, message: &str) -> Matches {
        let message = &message[..message.floor_char_boundary(LOOKED_AT_BYTES)];
        let mut found = Matches(vec![0; self.entries.len().div_ceil(64)]);
        if self.entries.is_empty() {
            return found;
        }
        let index = self.index.get_or_init(|| Index::new(&self.entries));
        if index.needles.automaton.is_some() {
            let lower = message.to_lowercase();
            index.needles.each(&lower, |number| {
                found.insert(number);
            });
        }
        let run = |number: u16, found: &mut Matches| {
            if let Some(Entry::Pattern(pattern)) = self.entries.get(usize::from(number))
                && pattern.is_match(message)
            {
                found.insert(number);
            }
        };
        let mut tried = Matches(vec![0; found.0.len()]);
        index.literals.each(message, |number| {
            if tried.insert(number) {
                run(number, &mut found);
            }
        });
        for &number in &index.always {
            run(number, &mut found);
        }
        found
    }

    /// The predicate with this number, as the policy has it.
    pub(crate) fn describe(&self, number: u16) -> String {
        match self.entries.get(usize::from(number)) {
            Some(Entry::Pattern(pattern)) => format!("message matches /{}/", pattern.text()),
            Some(Entry::Needles(needles)) => format!("message contains any of {}", needles.join(", ")),
            None => format!("text predicate {number}"),
        }
    }
}

impl Index {
    fn new(entries: &[Entry]) -> Self {
        let (mut literals, mut needles, mut always) = (Vec::new(), Vec::new(), Vec::new());
        for (number, entry) in (0_u16..).zip(entries) {
            match entry {
                Entry::Needles(texts) => {
                    needles.extend(texts.iter().map(|text| (text.clone().into_bytes(), number)));
                }
                Entry::Pattern(pattern) => match pattern.literals() {
                    Some(found) => literals.extend(found.into_iter().map(|literal| (literal, number))),
                    None => always.push(number),
                },
            }
        }
        // A literal set too large for an automaton is no reason to miss a match: run its patterns always.
        let literal_finder = Finder::new(&literals);
        if literal_finder.automaton.is_none() {
            always.extend(literals.iter().map(|(_, number)| *number));
            always.sort_unstable();
            always.dedup();
        }
        Self { literals: literal_finder, needles: Finder::new(&needles), always }
    }
}

impl Finder {
    fn new(texts: &[(Vec<u8>, u16)]) -> Self {
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(texts.iter().map(|(text, _)| text))
            .ok()
            .filter(|_| !texts.is_empty());
        Self { automaton, owners: texts.iter().map(|(_, owner)| *owner).collect() }
    }

    fn each(&self, text: &str, mut found: impl FnMut(u16)) {
        let Some(automaton) = &self.automaton else { return };
        for hit in automaton.find_overlapping_iter(text) {
            if let Some(owner) = self.owners.get(hit.pattern().as_usize()) {
                found(*owner);
            }
        }
    }
}

#[cfg(test)]
mod tests;
