//! The simulated prompt cache of all sessions.

use std::collections::BTreeMap;

use contracts::{ModelId, SessionId, ThreadId, events::CallRole};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Call, Split, line_cache::LineCache};
use crate::Line;

/// What the first call of a line of work reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Opening {
    /// What was recorded, for every model of the provider that was recorded: whether system prompt and tools were warm
    /// depends on what is outside the log, so it is a starting condition, like the sizes of the prompts, and the same
    /// for both sides of a comparison. A model of another provider is predicted.
    #[default]
    Given,
    /// What the rules say.
    Predicted,
}

/// A simulated prompt cache. Feed it every call, of each line of work in the order in which they were sent; several
/// caches can be fed the same calls with other models.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PromptCache {
    opening: Opening,
    sessions: BTreeMap<SessionId, BTreeMap<Line, LineCache>>,
}

impl PromptCache {
    /// A cold cache.
    pub fn new(opening: Opening) -> Self {
        Self { opening, sessions: BTreeMap::new() }
    }

    /// How the prompt of a call is split when `model` answers it, in tokens as recorded: a model with another
    /// tokenizer scales the answer ([`Split::scaled`]). The cache then knows the prompt.
    pub fn call(&mut self, call: &Call, model: &ModelId) -> Split {
        let given = (self.opening == Opening::Given && model.provider() == call.model.provider())
            .then_some(call.usage.cache_read);
        let lines = self.sessions.entry(call.session.clone()).or_default();
        lines.entry(call.line()).or_default().call(call, model, given)
    }

    /// Tokens that `model` would read from its cache if the line of work went on at `at` with a request like its
    /// last: 0 where nothing was called yet. What is warm for one model and not for another is the cost of switching.
    pub fn warm(&self, session: &SessionId, thread: Option<&ThreadId>, model: &ModelId, at: Timestamp) -> u64 {
        let role = if thread.is_some() { CallRole::Worker } else { CallRole::Planner };
        let line = Line { role, thread: thread.cloned() };
        self.sessions.get(session).and_then(|lines| lines.get(&line)).map_or(0, |cache| cache.warm(model, at))
    }
}
