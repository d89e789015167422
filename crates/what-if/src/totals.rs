//! Sums over turns: in total, and by model, rule, project, week and day.

use std::collections::BTreeMap;

use serde::Serialize;

/// The number and the cost of the turns in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct GroupTotal {
    /// Number of turns.
    pub turns: u64,
    /// Number of calls on the turns' own threads and models.
    pub calls: u64,
    /// Their cost in nano-dollars.
    pub nano_usd: i64,
}

impl GroupTotal {
    /// Adds the counts and the cost of another group, at most up to the maximum of their types.
    pub(crate) fn add(&mut self, other: Self) {
        self.turns = self.turns.saturating_add(other.turns);
        self.calls = self.calls.saturating_add(other.calls);
        self.nano_usd = self.nano_usd.saturating_add(other.nano_usd);
    }
}

/// The sums of turns and costs under one policy or under the baseline, in total and by group.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Totals {
    /// All turns that could be compared.
    pub all: GroupTotal,
    /// The sums for each chosen model.
    pub by_model: BTreeMap<String, GroupTotal>,
    /// The sums for each rule that decided, by its name, or else for each slot by its name.
    pub by_rule: BTreeMap<String, GroupTotal>,
    /// The sums for each project, by its folder; `(none)` for turns without one.
    pub by_project: BTreeMap<String, GroupTotal>,
    /// The sums for each ISO week by UTC, such as `2026-W47`.
    pub by_week: BTreeMap<String, GroupTotal>,
    /// The sums for each UTC day, such as `2026-11-20`.
    pub by_day: BTreeMap<String, GroupTotal>,
}

/// The names of the groups in which a turn is counted.
pub(crate) struct GroupKeys<'a> {
    /// The chosen model.
    pub(crate) model: &'a str,
    /// The rule that decided, or else the slot.
    pub(crate) rule: &'a str,
    /// The project, by its folder.
    pub(crate) project: &'a str,
    /// The ISO week, such as `2026-W47`.
    pub(crate) week: &'a str,
    /// The UTC day, such as `2026-11-20`.
    pub(crate) day: &'a str,
}

impl Totals {
    /// Adds the counts and the cost `share` of a turn to the total and to its groups.
    pub(crate) fn add(&mut self, keys: &GroupKeys<'_>, share: GroupTotal) {
        self.all.add(share);
        let groups = [
            (&mut self.by_model, keys.model),
            (&mut self.by_rule, keys.rule),
            (&mut self.by_project, keys.project),
            (&mut self.by_week, keys.week),
            (&mut self.by_day, keys.day),
        ];
        for (group, name) in groups {
            match group.get_mut(name) {
                Some(total) => total.add(share),
                None => drop(group.insert(name.to_owned(), share)),
            }
        }
    }
}
