//! What a tried policy spends beyond the recorded cost, by time.

use std::collections::BTreeMap;

use event_core::Timestamp;

/// Microseconds of a day.
const DAY_MICROS: u64 = 86_400_000_000;

/// The difference between the cost under a policy and the recorded cost, in nano-dollars, by the time at which a call
/// ended. Calls without a difference take no memory.
#[derive(Debug, Default)]
pub(crate) struct ExtraSpending(BTreeMap<Timestamp, i64>);

impl ExtraSpending {
    /// Returns the difference of the calls that ended before `at` on the same UTC day (decision D40).
    pub(crate) fn before(&self, at: Timestamp) -> i64 {
        let midnight = Timestamp(at.0 - at.0 % DAY_MICROS);
        self.0.range(midnight..at).fold(0, |sum: i64, (_, nano)| sum.saturating_add(*nano))
    }

    /// Adds the difference of a call that ended at `at`.
    pub(crate) fn add(&mut self, at: Timestamp, nano: i64) {
        if nano != 0 {
            let sum = self.0.entry(at).or_default();
            *sum = sum.saturating_add(nano);
        }
    }
}
