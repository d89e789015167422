//! Calls slower than five seconds, by model: a projection as a third party would write it.

use std::collections::BTreeMap;

use contracts::{ModelId, events::LlmCallCompleted};
use event_core::{CodecError, Projection, Recorded};
use serde::{Deserialize, Serialize};

/// A call is slow when it takes longer than this, in milliseconds.
pub const SLOW_MS: u64 = 5_000;

/// How many calls were slow, and how slow the slowest was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Slow {
    /// Calls slower than [`SLOW_MS`].
    pub calls: u64,
    /// The longest of them, in milliseconds.
    pub slowest_ms: u64,
}

/// Slow calls by model. Calls whose duration nobody recorded are not counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SlowCalls {
    by_model: BTreeMap<ModelId, Slow>,
}

impl SlowCalls {
    /// The slow calls of a model; none for a model that had none.
    pub fn of(&self, model: &ModelId) -> Slow {
        self.by_model.get(model).copied().unwrap_or_default()
    }

    /// Models that had slow calls, by name.
    pub fn models(&self) -> impl Iterator<Item = (&ModelId, &Slow)> {
        self.by_model.iter()
    }
}

impl Projection for SlowCalls {
    const NAME: &'static str = "acme.slow-calls";
    const VERSION: u32 = 1;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        if let Some(call) = event.read::<LlmCallCompleted>()?
            && let Some(took) = call.latency_ms
            && SLOW_MS < took
        {
            let slow = self.by_model.entry(call.model).or_default();
            slow.calls += 1;
            slow.slowest_ms = slow.slowest_ms.max(took);
        }
        Ok(())
    }
}
