//! The state of a turn between `turn.started` and `turn.ended`.

use contracts::{
    CallRole, Features, ModelId, NanoUsd, Thread,
    events::{LlmCallCompleted, LlmCallFailed, TurnStarted},
};
use serde::{Deserialize, Serialize};

use crate::judgement::Judgement;

/// A turn that has started and not ended, with the calls so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunningTurn {
    /// The path of the workspace; `None` for a turn without one.
    pub(crate) workspace: Option<String>,
    /// The features known when the turn started.
    pub(crate) features: Features,
    /// Evaluations recorded before the end, each with the model it evaluates; `None` for the model of the turn.
    pub(crate) judgements: Vec<(Option<ModelId>, Judgement)>,
    /// The thread of the turn; calls of other threads belong to other turns.
    thread: Thread,
    /// The calls since the turn started or was last reassigned.
    calls: CallCounts,
    /// The work of each model before the user reassigned the turn to another model.
    reassigned: Vec<ModelWork>,
}

/// The work of one model in a turn, and its cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModelWork {
    /// The model that did the work.
    pub(crate) model: ModelId,
    /// The cost of its calls; `None` if that of any call is unknown.
    pub(crate) cost: Option<NanoUsd>,
}

/// The calls of a turn since it started or was last reassigned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct CallCounts {
    /// The number of answered calls of each model, in the order of first calls.
    models: Vec<(ModelId, u64)>,
    /// The cost of all calls; `None` if that of any call is unknown.
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

    /// Attributes the calls to the model with the most answered ones, the first of several; `None` without an answered
    /// call.
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
            judgements: Vec::new(),
            thread: turn.thread.clone(),
            calls: CallCounts::default(),
            reassigned: Vec::new(),
        }
    }

    /// Counts an answered call of any model and adds its cost; ignores calls that do not belong to the turn.
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

    /// Whether a call belongs to the turn. Calls of workers belong to the workers' turns; auxiliary calls, such as
    /// those for a title, are not part of the work.
    fn owns(&self, thread: &Thread) -> bool {
        thread.role() != CallRole::Auxiliary && *thread == self.thread
    }

    /// Closes the work so far and attributes it to the model with the most answered calls, because the user reassigned
    /// the turn to another model. Without an answered call, the cost so far is dropped.
    pub(crate) fn reassign(&mut self) {
        self.reassigned.extend(std::mem::take(&mut self.calls).into_work());
    }

    /// Takes the work of all models: first of those before a reassignment, last of the model that finished the turn.
    /// Empty if no call was answered.
    pub(crate) fn take_works(&mut self) -> Vec<ModelWork> {
        self.reassign();
        std::mem::take(&mut self.reassigned)
    }
}
