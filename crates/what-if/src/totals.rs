//! Sums over turns: in all, and by model, rule, workspace and day.

use std::collections::BTreeMap;

use serde::Serialize;

/// What some turns come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Share {
    /// Turns.
    pub turns: u64,
    /// Calls of the turns' own model.
    pub calls: u64,
    /// What they cost, in nano-dollars. An estimate of a few turns may be below zero.
    pub nano_usd: i64,
}

impl Share {
    /// Adds some more.
    pub(crate) fn add(&mut self, other: Self) {
        self.turns = self.turns.saturating_add(other.turns);
        self.calls = self.calls.saturating_add(other.calls);
        self.nano_usd = self.nano_usd.saturating_add(other.nano_usd);
    }
}

/// What one side of a comparison comes to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Totals {
    /// Everything that could be judged.
    pub all: Share,
    /// By the model that takes the turn.
    pub by_model: BTreeMap<String, Share>,
    /// By what decides: a rule's name, or the place in the chain.
    pub by_rule: BTreeMap<String, Share>,
    /// By the folder of the workspace.
    pub by_workspace: BTreeMap<String, Share>,
    /// By UTC day, as `2026-11-20`.
    pub by_day: BTreeMap<String, Share>,
}

/// What a turn is counted under.
pub(crate) struct Under<'a> {
    pub(crate) model: &'a str,
    pub(crate) rule: &'a str,
    pub(crate) workspace: &'a str,
    pub(crate) day: &'a str,
}

impl Totals {
    pub(crate) fn add(&mut self, under: &Under<'_>, share: Share) {
        self.all.add(share);
        let groups = [
            (&mut self.by_model, under.model),
            (&mut self.by_rule, under.rule),
            (&mut self.by_workspace, under.workspace),
            (&mut self.by_day, under.day),
        ];
        for (group, name) in groups {
            match group.get_mut(name) {
                Some(total) => total.add(share),
                None => drop(group.insert(name.to_owned(), share)),
            }
        }
    }
}
