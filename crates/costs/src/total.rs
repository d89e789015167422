//! [`Total`], the sum of usage and cost over calls.

use contracts::{NanoUsd, Usage};
use serde::{Deserialize, Serialize};

/// Sum of usage and cost over a number of calls. Calls without a known price are counted separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Total {
    /// Number of calls, including those without a known price.
    pub calls: u64,
    /// Number of calls with an unknown cost, which `cost` does not include.
    pub unpriced_calls: u64,
    /// Usage of all calls.
    pub usage: Usage,
    /// Cost of the calls with a known price.
    pub cost: NanoUsd,
}

impl Total {
    /// Returns the sum of each field, saturating.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            unpriced_calls: self.unpriced_calls.saturating_add(other.unpriced_calls),
            usage: self.usage.plus(&other.usage),
            cost: self.cost.plus(other.cost),
        }
    }

    /// Creates the total of one call; `cost` is `None` if it is unknown.
    pub(crate) fn of_call(usage: Usage, cost: Option<NanoUsd>) -> Self {
        Self { calls: 1, unpriced_calls: u64::from(cost.is_none()), usage, cost: cost.unwrap_or_default() }
    }

    /// Adds another total, saturating.
    pub const fn add(&mut self, other: &Self) {
        *self = self.plus(other);
    }
}

impl std::iter::Sum for Total {
    fn sum<I: Iterator<Item = Self>>(totals: I) -> Self {
        totals.fold(Self::default(), |sum, total| sum.plus(&total))
    }
}

impl<'a> std::iter::Sum<&'a Self> for Total {
    fn sum<I: Iterator<Item = &'a Self>>(totals: I) -> Self {
        totals.fold(Self::default(), |sum, total| sum.plus(total))
    }
}
