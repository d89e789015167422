//! The rules of a scope, indexed by the text predicates they need.

use std::{collections::BTreeMap, ops::Deref};

use super::Candidates;
use crate::{predicate::Predicate, text_set::Matches};

/// A rule: proposes models for the turns that its condition matches.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) when: Predicate,
    pub(crate) models: Candidates,
    /// The line of the file on which it starts.
    pub(crate) line: usize,
}

/// The rules of a scope in order, indexed so that a decision evaluates only possible matches.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    all: Vec<Rule>,
    /// Indices of the rules that may match whatever the message is, in order.
    always: Vec<usize>,
    /// By the number of a text predicate: indices of the rules that cannot match without it.
    by_text: BTreeMap<u16, Vec<usize>>,
}

impl Rules {
    /// Returns the rules that may match, in order. The cost depends on their number, not on the number of all rules.
    pub(crate) fn candidates(&self, matches: &Matches) -> impl Iterator<Item = &Rule> {
        let triggered = matches.numbers().into_iter().filter_map(|number| self.by_text.get(&number));
        let mut indices: Vec<_> = triggered.flatten().chain(&self.always).copied().collect();
        indices.sort_unstable();
        indices.into_iter().filter_map(|index| self.all.get(index))
    }
}

impl From<Vec<Rule>> for Rules {
    fn from(rules: Vec<Rule>) -> Self {
        let mut indexed = Self::default();
        for (index, rule) in rules.iter().enumerate() {
            match rule.when.required_text() {
                Some(number) => indexed.by_text.entry(number).or_default().push(index),
                None => indexed.always.push(index),
            }
        }
        Self { all: rules, ..indexed }
    }
}

impl Deref for Rules {
    type Target = [Rule];

    fn deref(&self) -> &[Rule] {
        &self.all
    }
}
