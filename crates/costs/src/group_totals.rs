//! [`GroupTotals`], the totals of projects or of clients by UTC day.

use std::{collections::BTreeMap, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use crate::CostTotal;

/// The totals of costs by group and by UTC day. A group is a project (the path of a workspace) or a client, by its
/// name. Names are stored once and referred to by number.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct GroupTotals {
    /// Number of each group, by its name.
    numbers: BTreeMap<String, u32>,
    /// Total of each group on each day, by the number of the group and the day counted from 1970-01-01.
    days: BTreeMap<(u32, u64), CostTotal>,
}

impl GroupTotals {
    /// Returns the number of the group with a name. A new group is assigned the next number.
    pub(crate) fn number_or_insert(&mut self, name: &str) -> u32 {
        if let Some(number) = self.number_of(name) {
            return number;
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Returns the number of the group with a name; `None` if the group has not been added.
    pub(crate) fn number_of(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Adds the usage and cost of a call to the total of a group on a day. `day` is counted from 1970-01-01.
    pub(crate) fn add(&mut self, group: u32, day: u64, call: &CostTotal) {
        self.days.entry((group, day)).or_default().add(call);
    }

    /// Returns the total of a group over a range of UTC days, counted from 1970-01-01; zero if the group does not
    /// exist.
    pub(crate) fn total(&self, name: &str, days: &RangeInclusive<u64>) -> CostTotal {
        let Some(group) = self.number_of(name) else { return CostTotal::default() };
        self.days.range((group, *days.start())..=(group, *days.end())).map(|(_, total)| total).sum()
    }

    /// Returns the names of all groups in ascending order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }
}
