//! [`PromptCache`], the simulated prompt caches of all sessions.

use std::collections::BTreeMap;

use contracts::{ModelId, SessionId, Thread};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Call, PromptSplit, thread_cache::ThreadCache};

/// Source of the number of tokens that the first call of a thread reads from the cache.
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

/// The simulated prompt caches of all threads and models. It simulates every call; the calls of each thread must be
/// passed in the order in which they were sent. Several caches can simulate the same calls with different models.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PromptCache {
    /// Source of the number of tokens that the first call of a thread reads.
    opening: InitialRead,
    /// State of each thread, by session.
    sessions: BTreeMap<SessionId, BTreeMap<Thread, ThreadCache>>,
}

impl PromptCache {
    /// Creates an empty cache. `opening` selects the source of the number of tokens that the first call of each thread
    /// reads.
    pub fn new(opening: InitialRead) -> Self {
        Self { opening, sessions: BTreeMap::new() }
    }

    /// Simulates a call with the model `model`: returns the split of its prompt and adds the prompt to the cache. Token
    /// counts are as recorded; for a model with another tokenizer, scale the result with [`PromptSplit::scaled`].
    pub fn call(&mut self, call: &Call, model: &ModelId) -> PromptSplit {
        let given = (self.opening == InitialRead::Given && model.provider() == call.model.provider())
            .then_some(call.usage.cache_read);
        let threads = self.sessions.entry(call.session.clone()).or_default();
        threads.entry(call.thread.clone()).or_default().call(call, model, given)
    }

    /// Returns the number of tokens that `model` would read from its cache if a thread continued at `at` with a request
    /// like its last one; 0 before the first call. The difference between two models is the cost of switching between
    /// them, in tokens.
    pub fn cached_tokens(&self, session: &SessionId, thread: &Thread, model: &ModelId, at: Timestamp) -> u64 {
        let cache = self.sessions.get(session).and_then(|threads| threads.get(thread));
        cache.map_or(0, |cache| cache.cached_tokens(model, at))
    }
}
