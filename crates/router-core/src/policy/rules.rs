//! The rules of a workspace or the global rules, indexed by the text predicates that they require.

use std::{collections::BTreeMap, ops::Deref};

use super::ModelCandidates;
use crate::{predicate::Predicate, text_set::Matches};

/// A rule: proposes models for the turns that satisfy its condition.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The name, or `rule_` and its index if the file has none.
    pub(crate) name: String,
    /// The condition.
    pub(crate) when: Predicate,
    /// The models that the rule proposes.
    pub(crate) models: ModelCandidates,
    /// The line of the policy file on which the rule starts, from 1.
    pub(crate) line: usize,
}

/// The rules of one scope (the whole policy or one workspace) in order, with an index by the texts that their
/// conditions require. A decision evaluates only the rules that may match the message.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// All rules, in the order of the file.
    all: Vec<Rule>,
    /// Indices of the rules that require no particular text predicate, in order. They are candidates for every message.
    always: Vec<usize>,
    /// For each text predicate, by its number: the indices of the rules that require it, in order.
    by_text: BTreeMap<u16, Vec<usize>>,
}

impl Rules {
    /// Returns the rules that may match a message, in order. Their conditions are not evaluated yet. `matches` are the
    /// text predicates that hold. Takes time in proportion to the returned rules, not to all rules.
    pub(crate) fn candidates(&self, matches: &Matches) -> impl Iterator<Item = &Rule> {
        let triggered = matches.numbers().into_iter().filter_map(|number| self.by_text.get(&number));
        let mut indices: Vec<_> = triggered.flatten().chain(&self.always).copied().collect();
        indices.sort_unstable();
        indices.into_iter().filter_map(|index| self.all.get(index))
    }
}

impl From<Vec<Rule>> for Rules {
    fn from(rules: Vec<Rule>) -> Self {
        let mut index_only = Self::default();
        for (index, rule) in rules.iter().enumerate() {
            match rule.when.required_text() {
                Some(number) => index_only.by_text.entry(number).or_default().push(index),
                None => index_only.always.push(index),
            }
        }
        Self { all: rules, ..index_only }
    }
}

impl Deref for Rules {
    type Target = [Rule];

    fn deref(&self) -> &[Rule] {
        &self.all
    }
}
