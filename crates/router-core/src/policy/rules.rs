//! The rules of a scope, indexed by the text predicates they need.

use std::{collections::BTreeMap, ops::Deref};

use super::Candidates;
use crate::{predicate::Predicate, text_set::Matches};

/// A rule: proposes models for the turns that its condition matches.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The name, or `rule_` and its index if the file has none.
    pub(crate) name: String,
    /// The condition.
    pub(crate) when: Predicate,
    /// The models that the rule proposes.
    pub(crate) models: Candidates,
    /// The line of the policy file on which the rule starts, from 1.
    pub(crate) line: usize,
}

/// The rules of a scope in order, indexed so that a decision evaluates only possible matches.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// All rules, in the order of the file.
    all: Vec<Rule>,
    /// Indices of the rules that depend on no particular text predicate, in order. They are candidates for every
    /// message.
    always: Vec<usize>,
    /// For each text predicate by its number: indices of the rules that match only if it does, in order.
    by_text: BTreeMap<u16, Vec<usize>>,
}

impl Rules {
    /// Returns the rules that may match a message, in order; their conditions are not evaluated. `matches` are the text
    /// predicates that hold. The cost depends on the number of returned rules, not on the number of all.
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
