//! Costs of a session by thread (004 §6.7).

use contracts::{CallRole, ModelId, Thread};
use serde::{Deserialize, Serialize};

use crate::{Total, sorted_map::SortedMap};

/// Costs of a thread of a session, by model, and the number of its turns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ThreadCosts {
    /// Number of turns of this thread. A worker inside its planner's turn has none.
    pub turns: u64,
    /// Total of each model.
    models: SortedMap<ModelId, Total>,
}

impl ThreadCosts {
    /// Returns the totals of the thread's calls, in the order of model ids.
    pub fn models(&self) -> impl Iterator<Item = (&ModelId, &Total)> {
        self.models.iter()
    }

    /// Returns the total of the thread's calls.
    pub fn total(&self) -> Total {
        self.models().map(|(_, total)| total).sum()
    }

    /// Returns the model with the most calls, the first by id if several have the same number; `None` without calls.
    pub fn main_model(&self) -> Option<&ModelId> {
        let most = self.models().map(|(_, total)| total.calls).max()?;
        self.models().find(|(_, total)| total.calls == most).map(|(model, _)| model)
    }
}

/// Costs of a session, by thread.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionCosts {
    /// Costs of each thread.
    threads: SortedMap<Thread, ThreadCosts>,
    /// Number of the project of its last turn with a known one.
    pub(crate) project: Option<u32>,
    /// Number of the client of its last turn with a known one.
    pub(crate) client: Option<u32>,
}

impl SessionCosts {
    /// Returns the total of the session's calls, including those of workers and auxiliary calls.
    pub fn total(&self) -> Total {
        self.threads().map(|(_, costs)| costs.total()).sum()
    }

    /// Returns the total of the session's calls of one role; zero without calls.
    pub fn role(&self, role: CallRole) -> Total {
        self.threads().filter(|(thread, _)| thread.role() == role).map(|(_, costs)| costs.total()).sum()
    }

    /// Returns the threads of the session: the main thread, then sub-agents by id, then auxiliary calls by kind.
    pub fn threads(&self) -> impl Iterator<Item = (&Thread, &ThreadCosts)> {
        self.threads.iter()
    }

    /// Counts a turn of a thread.
    pub(crate) fn count_turn(&mut self, thread: &Thread) {
        let costs = self.thread(thread);
        costs.turns = costs.turns.saturating_add(1);
    }

    /// Adds a call to the total of its thread and model.
    pub(crate) fn add_call(&mut self, thread: &Thread, model: &ModelId, call: &Total) {
        self.thread(thread).models.entry(|known| known.cmp(model), || model.clone()).add(call);
    }

    /// Returns the costs of a thread, created on first use.
    fn thread(&mut self, thread: &Thread) -> &mut ThreadCosts {
        self.threads.entry(|known| known.cmp(thread), || thread.clone())
    }
}
