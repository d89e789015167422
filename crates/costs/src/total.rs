//! A sum over calls.

use contracts::{NanoUsd, Usage};
use serde::{Deserialize, Serialize};

/// What a number of calls used and cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Total {
    /// How many calls, priced or not.
    pub calls: u64,
    /// Calls whose cost nobody knows; `cost` says nothing about them.
    pub unpriced_calls: u64,
    /// What all of them used.
    pub usage: Usage,
    /// What the priced ones cost.
    pub cost: NanoUsd,
}

impl Total {
    /// The sum, field by field.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            unpriced_calls: self.unpriced_calls.saturating_add(other.unpriced_calls),
            usage: self.usage.plus(&other.usage),
            cost: self.cost.plus(other.cost),
        }
    }

    /// One call; without a cost when nobody knows it.
    pub(crate) fn of_call(usage: Usage, cost: Option<NanoUsd>) -> Self {
        Self { calls: 1, unpriced_calls: u64::from(cost.is_none()), usage, cost: cost.unwrap_or_default() }
    }

    pub(crate) const fn add(&mut self, other: &Self) {
        *self = self.plus(other);
    }
}

impl<'a> std::iter::Sum<&'a Self> for Total {
    fn sum<I: Iterator<Item = &'a Self>>(totals: I) -> Self {
        totals.fold(Self::default(), |sum, total| sum.plus(total))
    }
}
