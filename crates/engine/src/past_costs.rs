//! What calls had cost by a time in the past (decision D40).

use std::collections::BTreeMap;

use contracts::{
    NanoUsd, Period,
    events::{LlmCallCompleted, LlmCallFailed},
};
use event_bus::projection_set;
use event_core::{CodecError, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

/// Microseconds of a day.
const DAY_MICROS: u64 = 86_400_000_000;

projection_set! {
    /// The costs by time. Folded only while turns are imported, so it is no part of the engine's state and has no
    /// checkpoint.
    pub(crate) struct PastState {
        /// The cost of every call by the time at which it ended.
        pub(crate) costs: PastCosts,
    }
}

/// The cost of every call by the time at which it ended. Decisions about imported turns read it, since the log may have
/// calls that ended after such a turn began.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PastCosts(BTreeMap<Timestamp, NanoUsd>);

impl PastCosts {
    /// Returns the cost of the calls that ended before `at` in the same day, week or month. The order in which calls were
    /// recorded has no effect.
    pub(crate) fn spent_in(&self, period: Period, at: Timestamp) -> NanoUsd {
        let start = Timestamp(period.first_day(at.utc_day()).unwrap_or_default() * DAY_MICROS);
        self.0.range(start..at).map(|(_, cost)| *cost).sum()
    }
}

impl Projection for PastCosts {
    const NAME: &'static str = "past-costs";
    const VERSION: u32 = 1;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        let cost = match event.view::<LlmCallCompleted>()? {
            Some(call) => call.cost,
            None => event.view::<LlmCallFailed>()?.and_then(|call| call.cost),
        };
        if let Some(cost) = cost {
            *self.0.entry(event.event.at).or_default() += cost;
        }
        Ok(())
    }
}
