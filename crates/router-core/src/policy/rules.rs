//! Rules in their order.

use std::{ops::Deref, sync::Arc};

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

/// The rules of a scope, with what rules most of them out at a glance.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    rules: Vec<Rule>,
    /// By rule: the text predicate without which it cannot match.
    needed: Vec<Option<u16>>,
}

impl Rules {
    /// The rules that may match, as far as the message is concerned.
    pub(crate) fn possible(&self, matches: &Matches) -> impl Iterator<Item = &Rule> {
        let possible = self.needed.iter().map(|needed| needed.is_none_or(|number| matches.has(number)));
        self.rules.iter().zip(possible).filter_map(|(rule, possible)| possible.then_some(rule))
    }
}

impl From<Vec<Rule>> for Rules {
    fn from(rules: Vec<Rule>) -> Self {
        let needed = rules.iter().map(|rule| rule.when.needed_text()).collect();
        Self { rules, needed }
    }
}

impl Deref for Rules {
    type Target = [Rule];

    fn deref(&self) -> &[Rule] {
        &self.rules
    }
}
