//! Rules in their order.

use std::{collections::BTreeMap, ops::Deref, sync::Arc};

use contracts::ModelSpec;

use crate::{predicate::Predicate, text_set::Matches};

/// A rule: when it matches, this model is proposed.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) when: Predicate,
    pub(crate) model: Arc<ModelSpec>,
    /// The line of the file it starts on.
    pub(crate) line: usize,
}

/// The rules of a scope, arranged so that a decision looks only at those that may match.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    all: Vec<Rule>,
    /// Places of the rules that may match whatever the message says, in order.
    always: Vec<usize>,
    /// Places of the rules that cannot match without a text predicate, by its number.
    by_text: BTreeMap<u16, Vec<usize>>,
}

impl Rules {
    /// The rules that may match, in their order: as many as there are, whatever the number of those ruled out.
    pub(crate) fn possible(&self, matches: &Matches) -> impl Iterator<Item = &Rule> {
        let called = matches.numbers().into_iter().filter_map(|number| self.by_text.get(&number));
        let mut places: Vec<_> = called.flatten().chain(&self.always).copied().collect();
        places.sort_unstable();
        places.into_iter().filter_map(|place| self.all.get(place))
    }
}

impl From<Vec<Rule>> for Rules {
    fn from(rules: Vec<Rule>) -> Self {
        let mut arranged = Self::default();
        for (place, rule) in rules.iter().enumerate() {
            match rule.when.needed_text() {
                Some(number) => arranged.by_text.entry(number).or_default().push(place),
                None => arranged.always.push(place),
            }
        }
        Self { all: rules, ..arranged }
    }
}

impl Deref for Rules {
    type Target = [Rule];

    fn deref(&self) -> &[Rule] {
        &self.all
    }
}
