//! What a session spent, broken out by line of work (004 §6.7).

use contracts::{ModelId, ThreadId, events::CallRole};
use serde::{Deserialize, Serialize};

use crate::{Total, sorted::Sorted};

/// A line of work inside a session: its planner, one of its workers, or what is done on the side.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Line {
    /// Whose work it is.
    pub role: CallRole,
    /// Which worker.
    pub thread: Option<ThreadId>,
}

/// What a line of work spent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LineCosts {
    /// Turns that began on this line. A worker that runs inside its planner's turn has none of its own.
    pub turns: u64,
    models: Sorted<ModelId, Total>,
}

impl LineCosts {
    /// Its calls, by the model that answered.
    pub fn models(&self) -> impl Iterator<Item = (&ModelId, &Total)> {
        self.models.iter()
    }

    /// All its calls.
    pub fn total(&self) -> Total {
        self.models().map(|(_, total)| total).sum()
    }

    /// The model that answered most of its calls, the first by name when there are several.
    pub fn main_model(&self) -> Option<&ModelId> {
        let most = self.models().map(|(_, total)| total.calls).max()?;
        self.models().find(|(_, total)| total.calls == most).map(|(model, _)| model)
    }
}

/// What a session spent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionCosts {
    lines: Sorted<Line, LineCosts>,
}

impl SessionCosts {
    /// All its calls, workers included.
    pub fn total(&self) -> Total {
        self.lines().map(|(_, costs)| costs.total()).fold(Total::default(), |sum, total| sum.plus(&total))
    }

    /// The calls of one role.
    pub fn role(&self, role: CallRole) -> Total {
        let lines = self.lines().filter(|(line, _)| line.role == role);
        lines.map(|(_, costs)| costs.total()).fold(Total::default(), |sum, total| sum.plus(&total))
    }

    /// Its lines of work: planner first, then workers by name, then what was done on the side.
    pub fn lines(&self) -> impl Iterator<Item = (&Line, &LineCosts)> {
        self.lines.iter()
    }

    pub(crate) fn turn_started(&mut self, thread: Option<&ThreadId>) {
        let role = if thread.is_some() { CallRole::Worker } else { CallRole::Planner };
        let costs = self.line(role, thread);
        costs.turns = costs.turns.saturating_add(1);
    }

    pub(crate) fn billed(&mut self, role: CallRole, thread: Option<&ThreadId>, model: &ModelId, call: &Total) {
        let models = &mut self.line(role, thread).models;
        models.entry(|known| known.cmp(model), || model.clone()).add(call);
    }

    fn line(&mut self, role: CallRole, thread: Option<&ThreadId>) -> &mut LineCosts {
        let compare = |line: &Line| (line.role, line.thread.as_ref()).cmp(&(role, thread));
        self.lines.entry(compare, || Line { role, thread: thread.cloned() })
    }
}
