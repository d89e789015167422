//! [`Groups`], totals of projects or clients by UTC day.

use std::{collections::BTreeMap, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use crate::Total;

/// Totals by group, a project or a client, and by UTC day, counted from 1970-01-01. Names are stored once.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Groups {
    numbers: BTreeMap<String, u32>,
    days: BTreeMap<(u32, u64), Total>,
}

impl Groups {
    /// Returns the number of a group, which is assigned on first use.
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.number_of(name) {
            return number;
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Returns the number of a group; `None` if it has none.
    pub(crate) fn number_of(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Adds a call of a group on a day.
    pub(crate) fn add(&mut self, group: u32, day: u64, call: &Total) {
        self.days.entry((group, day)).or_default().add(call);
    }

    /// Returns the total of a group on some days.
    pub(crate) fn total(&self, name: &str, days: &RangeInclusive<u64>) -> Total {
        let Some(group) = self.number_of(name) else { return Total::default() };
        self.days.range((group, *days.start())..=(group, *days.end())).map(|(_, total)| total).sum()
    }

    /// Iterates over the names of all groups, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }
}
