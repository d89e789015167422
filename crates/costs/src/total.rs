//! [`CostTotal`], the sum of usage and cost over calls.

use contracts::{NanoUsd, Usage, events::CostsRetained};
use serde::{Deserialize, Serialize};

/// The sum of usage and cost over a set of model calls. Calls without a known price are counted separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CostTotal {
    /// Number of calls, including those without a known price.
    pub calls: u64,
    /// Number of calls with an unknown cost, which `cost` does not include.
    pub unpriced_calls: u64,
    /// Usage of all calls.
    pub usage: Usage,
    /// Cost of the calls with a known price.
    pub cost: NanoUsd,
}

impl CostTotal {
    /// Returns the sum of two totals, field by field; each field saturates.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            unpriced_calls: self.unpriced_calls.saturating_add(other.unpriced_calls),
            usage: self.usage.plus(&other.usage),
            cost: self.cost.plus(other.cost),
        }
    }

    /// Creates the total of a single call; `cost` is `None` if the price of its model is unknown.
    pub fn from_call(usage: Usage, cost: Option<NanoUsd>) -> Self {
        Self { calls: 1, unpriced_calls: u64::from(cost.is_none()), usage, cost: cost.unwrap_or_default() }
    }

    /// Returns the total of removed calls in an event.
    pub(crate) const fn from_retained(retained: &CostsRetained) -> Self {
        let CostsRetained { calls, unpriced_calls, usage, cost, .. } = retained;
        Self { calls: *calls, unpriced_calls: *unpriced_calls, usage: *usage, cost: *cost }
    }

    /// Adds another total to this one, field by field; each field saturates.
    pub const fn add(&mut self, other: &Self) {
        *self = self.plus(other);
    }
}

impl std::iter::Sum for CostTotal {
    fn sum<I: Iterator<Item = Self>>(totals: I) -> Self {
        totals.fold(Self::default(), |sum, total| sum.plus(&total))
    }
}

impl<'a> std::iter::Sum<&'a Self> for CostTotal {
    fn sum<I: Iterator<Item = &'a Self>>(totals: I) -> Self {
        totals.fold(Self::default(), |sum, total| sum.plus(total))
    }
}
