//! A turn that is running: what is known of it until it is recorded.

use contracts::{
    Features, ModelId, NanoUsd, ThreadId,
    events::{CallRole, LlmCallCompleted, LlmCallFailed, TurnStarted},
};
use serde::{Deserialize, Serialize};

use crate::judgement::Judgement;

/// A turn between `turn.started` and `turn.ended`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenTurn {
    pub(crate) workspace: Option<String>,
    pub(crate) features: Features,
    /// Verdicts that came before the end, by whose work they judge.
    pub(crate) judgements: Vec<(Option<ModelId>, Judgement)>,
    thread: Option<ThreadId>,
    calls: Calls,
    /// What models did from which the user took the turn away.
    reassigned: Vec<Work>,
}

/// What one model did in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Work {
    pub(crate) model: ModelId,
    /// What its calls cost, when that is known.
    pub(crate) cost: Option<NanoUsd>,
}

/// The calls of a turn, since it began or was given to another model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Calls {
    /// By model, in the order in which models were first called.
    models: Vec<(ModelId, u64)>,
    /// What they cost, `None` as soon as one of them has no known cost.
    cost: Option<NanoUsd>,
}

impl Default for Calls {
    fn default() -> Self {
        Self { models: Vec::new(), cost: Some(NanoUsd::default()) }
    }
}

impl Calls {
    fn pay(&mut self, cost: Option<NanoUsd>) {
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum.plus(cost));
    }

    /// Who did the work: the model that answered most calls, the first of several; `None` when nobody answered.
    fn work(self) -> Option<Work> {
        let most = self.models.iter().map(|(_, calls)| *calls).max()?;
        let (model, _) = self.models.into_iter().find(|(_, calls)| *calls == most)?;
        Some(Work { model, cost: self.cost })
    }
}

impl OpenTurn {
    pub(crate) fn new(turn: &TurnStarted) -> Self {
        Self {
            workspace: turn.workspace.clone(),
            features: turn.features.clone(),
            judgements: Vec::new(),
            thread: turn.thread.clone(),
            calls: Calls::default(),
            reassigned: Vec::new(),
        }
    }

    /// Counts a call of the turn's own line of work. Calls of workers belong to the workers' turns, and calls on
    /// the side, such as a title, say nothing about who took the turn.
    pub(crate) fn called(&mut self, call: &LlmCallCompleted) {
        if !self.owns(call.role, call.thread.as_ref()) {
            return;
        }
        let models = &mut self.calls.models;
        match models.iter_mut().find(|(model, _)| *model == call.model) {
            Some((_, calls)) => *calls += 1,
            None => models.push((call.model.clone(), 1)),
        }
        self.calls.pay(call.cost);
    }

    /// Adds what a call had cost before it was cancelled or broke off; nobody answered it.
    pub(crate) fn failed(&mut self, call: &LlmCallFailed) {
        if call.usage.is_some() && self.owns(call.role, call.thread.as_ref()) {
            self.calls.pay(call.cost);
        }
    }

    fn owns(&self, role: CallRole, thread: Option<&ThreadId>) -> bool {
        role != CallRole::Side && thread == self.thread.as_ref()
    }

    /// The turn was sent again to another model: what was done until then is the first one's.
    pub(crate) fn redirected(&mut self) {
        self.reassigned.extend(std::mem::take(&mut self.calls).work());
    }

    /// Everyone's work, which is over: first those from whom the turn was taken away, then whoever finished it.
    pub(crate) fn take_works(&mut self) -> Vec<Work> {
        self.redirected();
        std::mem::take(&mut self.reassigned)
    }
}
