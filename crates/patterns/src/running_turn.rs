//! The state of a turn between `turn.started` and `turn.ended`.

use contracts::{
    CallRole, Features, ModelId, NanoUsd, Thread,
    events::{LlmCallCompleted, LlmCallFailed, TurnStarted},
};
use serde::{Deserialize, Serialize};

use crate::evaluation::TurnEvaluation;

/// A turn that has started and not ended, with its calls to models so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunningTurn {
    /// The path of the workspace; `None` for a turn without one.
    pub(crate) workspace: Option<String>,
    /// The features known when the turn started.
    pub(crate) features: Features,
    /// Evaluations recorded before the end, each with the model it evaluates; `None` for the model of the turn.
    pub(crate) evaluations: Vec<(Option<ModelId>, TurnEvaluation)>,
    /// The thread of the turn; calls of other threads belong to other turns.
    thread: Thread,
    /// The calls since the turn started or was last reassigned.
    calls: CallCounts,
    /// The work of each model before the user reassigned the turn to another model.
    reassigned: Vec<ModelWork>,
}

/// The share of one model in a turn, with the cost of its calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModelWork {
    /// The model that answered most of these calls.
    pub(crate) model: ModelId,
    /// The cost of these calls; `None` if the cost of any call is unknown.
    pub(crate) cost: Option<NanoUsd>,
}

/// The calls of a turn since it started or was last reassigned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct CallCounts {
    /// The number of answered calls of each model, in the order of first calls.
    models: Vec<(ModelId, u64)>,
    /// The cost of all calls; `None` if the cost of any call is unknown.
    cost: Option<NanoUsd>,
}

impl Default for CallCounts {
    fn default() -> Self {
        Self { models: Vec::new(), cost: Some(NanoUsd::default()) }
    }
}

impl CallCounts {
    /// Adds the cost of a call; `None` makes the sum unknown.
    fn add_cost(&mut self, cost: Option<NanoUsd>) {
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum.plus(cost));
    }

    /// Attributes all calls to the model with the most answered calls, the first one called in a tie. `None` if no call
    /// was answered.
    fn into_work(self) -> Option<ModelWork> {
        let most = self.models.iter().map(|(_, calls)| *calls).max()?;
        let (model, _) = self.models.into_iter().find(|(_, calls)| *calls == most)?;
        Some(ModelWork { model, cost: self.cost })
    }
}

impl RunningTurn {
    /// Creates the state of a turn that has started, without calls.
    pub(crate) fn new(turn: &TurnStarted) -> Self {
        Self {
            workspace: turn.workspace.clone(),
            features: turn.features.clone(),
            evaluations: Vec::new(),
            thread: turn.thread.clone(),
            calls: CallCounts::default(),
            reassigned: Vec::new(),
        }
    }

    /// Counts an answered call and adds its cost. Ignores calls that do not belong to the turn.
    pub(crate) fn add_call(&mut self, call: &LlmCallCompleted) {
        if !self.owns(&call.thread) {
            return;
        }
        let models = &mut self.calls.models;
        match models.iter_mut().find(|(model, _)| *model == call.model) {
            Some((_, calls)) => *calls += 1,
            None => models.push((call.model.clone(), 1)),
        }
        self.calls.add_cost(call.cost);
    }

    /// Adds the cost of a call that was cancelled or interrupted after it had used tokens; ignores calls without usage
    /// and calls of other turns.
    pub(crate) fn add_failed_call(&mut self, call: &LlmCallFailed) {
        if call.usage.is_some() && self.owns(&call.thread) {
            self.calls.add_cost(call.cost);
        }
    }

    /// Whether a call of `thread` belongs to the turn. Calls of sub-agents belong to their own turns, and auxiliary
    /// calls, such as those for a title, belong to none.
    fn owns(&self, thread: &Thread) -> bool {
        thread.role() != CallRole::Auxiliary && *thread == self.thread
    }

    /// Closes the work before a reassignment of the turn to another model, and attributes it to the model with the most
    /// answered calls. Without an answered call, the cost so far is dropped.
    pub(crate) fn reassign(&mut self) {
        self.reassigned.extend(std::mem::take(&mut self.calls).into_work());
    }

    /// Removes and returns the work of all models: first the work before each reassignment, last that of the model that
    /// finished the turn. Empty if no call was answered.
    pub(crate) fn take_works(&mut self) -> Vec<ModelWork> {
        self.reassign();
        std::mem::take(&mut self.reassigned)
    }
}
