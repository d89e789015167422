//! Costs of a session by thread (004 §6.7).

use contracts::{CallRole, ModelId, Thread};
use serde::{Deserialize, Serialize};

use crate::{CostTotal, sorted_map::SortedMap};

/// Costs of one thread of a session (the main conversation, a sub-agent or a kind of auxiliary call), by model, and the
/// number of its turns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ThreadCosts {
    /// Number of turns of this thread; 0 for a sub-agent that works within a turn of the main thread.
    pub turns: u64,
    /// Total of each model.
    models: SortedMap<ModelId, CostTotal>,
}

impl ThreadCosts {
    /// Returns the total of each model that was called in the thread, in the order of model ids.
    pub fn models(&self) -> impl Iterator<Item = (&ModelId, &CostTotal)> {
        self.models.iter()
    }

    /// Returns the total of the thread's calls.
    pub fn total(&self) -> CostTotal {
        self.models().map(|(_, total)| total).sum()
    }

    /// Returns the model with the most calls in the thread, the first by id in a tie; `None` without calls.
    pub fn main_model(&self) -> Option<&ModelId> {
        let most = self.models().map(|(_, total)| total.calls).max()?;
        self.models().find(|(_, total)| total.calls == most).map(|(model, _)| model)
    }
}

/// The costs of the model calls of a session by thread (the main conversation, each sub-agent, auxiliary calls), with
/// its project and client.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionCosts {
    /// Costs of each thread.
    threads: SortedMap<Thread, ThreadCosts>,
    /// Number of the project of its latest turn that has one; `None` if no turn has one.
    pub(crate) project: Option<u32>,
    /// Number of the client of its latest turn that has one; `None` if no turn has one.
    pub(crate) client: Option<u32>,
}

impl SessionCosts {
    /// Returns the total of the session's calls, including those of workers and auxiliary calls.
    pub fn total(&self) -> CostTotal {
        self.threads().map(|(_, costs)| costs.total()).sum()
    }

    /// Returns the total of the session's calls of one role (main, sub-agent or auxiliary); zero without calls.
    pub fn role(&self, role: CallRole) -> CostTotal {
        self.threads().filter(|(thread, _)| thread.role() == role).map(|(_, costs)| costs.total()).sum()
    }

    /// Returns the threads of the session: the main thread, then sub-agents by id, then auxiliary calls by kind.
    pub fn threads(&self) -> impl Iterator<Item = (&Thread, &ThreadCosts)> {
        self.threads.iter()
    }

    /// Counts a turn of a thread.
    pub(crate) fn count_turn(&mut self, thread: &Thread) {
        let costs = self.thread_mut(thread);
        costs.turns = costs.turns.saturating_add(1);
    }

    /// Adds a call to the total of its thread and model.
    pub(crate) fn add_call(&mut self, thread: &Thread, model: &ModelId, call: &CostTotal) {
        self.thread_mut(thread).models.get_or_insert(|known| known.cmp(model), || model.clone()).add(call);
    }

    /// Returns the costs of a thread, for modification. Zero costs are added if the thread is new.
    fn thread_mut(&mut self, thread: &Thread) -> &mut ThreadCosts {
        self.threads.get_or_insert(|known| known.cmp(thread), || thread.clone())
    }
}
