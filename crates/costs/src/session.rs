//! Costs of a session by line of work (004 §6.7).

use contracts::{ModelId, ThreadId, events::CallRole};
use serde::{Deserialize, Serialize};

use crate::{Total, sorted::Sorted};

/// A line of work inside a session: the planner, a worker, or auxiliary calls.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Line {
    /// Role of its calls.
    pub role: CallRole,
    /// Thread of the worker; `None` for the main conversation.
    pub thread: Option<ThreadId>,
}

/// Costs of a line of work of a session, by model, and the number of its turns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LineCosts {
    /// Number of turns of this line. A worker inside its planner's turn has none.
    pub turns: u64,
    /// Total of each model.
    models: Sorted<ModelId, Total>,
}

impl LineCosts {
    /// Returns the totals of its calls by model.
    pub fn models(&self) -> impl Iterator<Item = (&ModelId, &Total)> {
        self.models.iter()
    }

    /// Returns the total of its calls.
    pub fn total(&self) -> Total {
        self.models().map(|(_, total)| total).sum()
    }

    /// Returns the model with the most calls, the first by id if several have the same number; `None` without calls.
    pub fn main_model(&self) -> Option<&ModelId> {
        let most = self.models().map(|(_, total)| total.calls).max()?;
        self.models().find(|(_, total)| total.calls == most).map(|(model, _)| model)
    }
}

/// Costs of a session, by line of work.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionCosts {
    /// Costs of each line of work.
    lines: Sorted<Line, LineCosts>,
}

impl SessionCosts {
    /// Returns the total of its calls, including those of workers.
    pub fn total(&self) -> Total {
        self.lines().map(|(_, costs)| costs.total()).fold(Total::default(), |sum, total| sum.plus(&total))
    }

    /// Returns the total of its calls of one role.
    pub fn role(&self, role: CallRole) -> Total {
        let lines = self.lines().filter(|(line, _)| line.role == role);
        lines.map(|(_, costs)| costs.total()).fold(Total::default(), |sum, total| sum.plus(&total))
    }

    /// Returns its lines of work: the planner, then workers by thread, then auxiliary calls.
    pub fn lines(&self) -> impl Iterator<Item = (&Line, &LineCosts)> {
        self.lines.iter()
    }

    /// Counts a turn of a thread.
    pub(crate) fn turn_started(&mut self, thread: Option<&ThreadId>) {
        let role = if thread.is_some() { CallRole::Worker } else { CallRole::Planner };
        let costs = self.line(role, thread);
        costs.turns = costs.turns.saturating_add(1);
    }

    /// Adds a call to its line of work and model.
    pub(crate) fn billed(&mut self, role: CallRole, thread: Option<&ThreadId>, model: &ModelId, call: &Total) {
        let models = &mut self.line(role, thread).models;
        models.entry(|known| known.cmp(model), || model.clone()).add(call);
    }

    /// Returns the costs of a line of work, created on first use.
    fn line(&mut self, role: CallRole, thread: Option<&ThreadId>) -> &mut LineCosts {
        let compare = |line: &Line| (line.role, line.thread.as_ref()).cmp(&(role, thread));
        self.lines.entry(compare, || Line { role, thread: thread.cloned() })
    }
}
