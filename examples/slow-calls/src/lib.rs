//! Example of a third-party projection: counts calls slower than five seconds, by model.
//!
//! [`SlowCalls`] folds `llm.call_completed` events. It needs nothing from the engine: a bus returns a view of it, and
//! `event-core` folds, saves and resumes it.

use std::collections::BTreeMap;

use contracts::{ModelId, events::LlmCallCompleted};
use event_core::{Projection, Recorded};
use serde::{Deserialize, Serialize};

/// The duration above which a call is slow, in milliseconds.
pub const SLOW_MS: u64 = 5_000;

/// The number and the maximum duration of the slow calls of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SlowCount {
    /// Number of calls slower than [`SLOW_MS`].
    pub calls: u64,
    /// Duration of the slowest call, in milliseconds.
    pub slowest_ms: u64,
}

/// A projection of slow calls, by model. Calls without a recorded duration are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SlowCalls {
    /// The models that have slow calls.
    by_model: BTreeMap<ModelId, SlowCount>,
}

impl SlowCalls {
    /// Returns the slow calls of a model; zero calls if it has none.
    pub fn count(&self, model: &ModelId) -> SlowCount {
        self.by_model.get(model).copied().unwrap_or_default()
    }

    /// Returns the models that have slow calls, ordered by id.
    pub fn models(&self) -> impl Iterator<Item = (&ModelId, &SlowCount)> {
        self.by_model.iter()
    }
}

impl Projection for SlowCalls {
    const NAME: &'static str = "acme.slow-calls";
    const VERSION: u32 = 1;

    type Events = LlmCallCompleted;
    type Folded<'a> = &'a LlmCallCompleted;

    fn apply(&mut self, call: &LlmCallCompleted, _recorded: &Recorded) {
        if let Some(latency_ms) = call.latency_ms
            && SLOW_MS < latency_ms
        {
            let slow = self.by_model.entry(call.model.clone()).or_default();
            slow.calls += 1;
            slow.slowest_ms = slow.slowest_ms.max(latency_ms);
        }
    }
}
