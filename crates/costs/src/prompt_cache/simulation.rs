//! [`PromptCache`], the simulated prompt cache of all sessions.

use std::collections::BTreeMap;

use contracts::{ModelId, SessionId, Thread};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Call, Split, line_cache::LineCache};

/// Source of the tokens that the first call of a thread reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum InitialRead {
    /// The recorded number, for models of the recorded provider. Whether system prompt and tools were cached depends on
    /// events outside the log, so it is a starting condition, equal for both sides of a comparison. Models of other
    /// providers use the rules.
    #[default]
    Given,
    /// The rules, for all models.
    Predicted,
}

/// A simulated prompt cache. It takes every call, those of each thread in the order in which they were sent. Several
/// caches can take the same calls with different models.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PromptCache {
    /// Source of the tokens that the first call of a thread reads.
    opening: InitialRead,
    /// State of each thread, by session.
    sessions: BTreeMap<SessionId, BTreeMap<Thread, LineCache>>,
}

impl PromptCache {
    /// Creates an empty cache. `opening` is the source of the tokens that the first call of each thread reads.
    pub fn new(opening: InitialRead) -> Self {
        Self { opening, sessions: BTreeMap::new() }
    }

    /// Simulates a call to `model`: returns the split of its prompt and adds the prompt to the cache. Tokens are as
    /// recorded; for a model with another tokenizer, scale the result with [`Split::scaled`].
    pub fn call(&mut self, call: &Call, model: &ModelId) -> Split {
        let given = (self.opening == InitialRead::Given && model.provider() == call.model.provider())
            .then_some(call.usage.cache_read);
        let threads = self.sessions.entry(call.session.clone()).or_default();
        threads.entry(call.thread.clone()).or_default().call(call, model, given)
    }

    /// Returns the tokens that `model` would read from its cache if the thread continued at `at` with a request like
    /// its last; 0 before the first call. The difference between two models is the cost of switching.
    pub fn warm_tokens(&self, session: &SessionId, thread: &Thread, model: &ModelId, at: Timestamp) -> u64 {
        let cache = self.sessions.get(session).and_then(|threads| threads.get(thread));
        cache.map_or(0, |cache| cache.warm_tokens(model, at))
    }
}
