//! A turn that is running: what is known of it until it is recorded.

use contracts::{
    Features, ModelId, NanoUsd, ThreadId,
    facts::{CallRole, LlmCallCompleted, TurnStarted},
};
use serde::{Deserialize, Serialize};

use crate::judgement::Judgement;

/// A turn between `turn.started` and `turn.ended`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenTurn {
    pub(crate) workspace: Option<String>,
    pub(crate) features: Features,
    pub(crate) judgement: Option<Judgement>,
    thread: Option<ThreadId>,
    /// Calls by model, in the order in which models were first called.
    calls: Vec<(ModelId, u64)>,
    /// What the calls cost, `None` as soon as one of them has no known cost.
    cost: Option<NanoUsd>,
}

impl OpenTurn {
    pub(crate) fn new(turn: TurnStarted) -> Self {
        Self {
            workspace: turn.workspace,
            features: turn.features,
            judgement: None,
            thread: turn.thread,
            calls: Vec::new(),
            cost: Some(NanoUsd::default()),
        }
    }

    /// Counts a call of the turn's own line of work. Calls of workers belong to the workers' turns, and calls on
    /// the side, such as a title, say nothing about who took the turn.
    pub(crate) fn called(&mut self, call: &LlmCallCompleted) {
        if call.role == CallRole::Side || call.thread != self.thread {
            return;
        }
        match self.calls.iter_mut().find(|(model, _)| *model == call.model) {
            Some((_, calls)) => *calls += 1,
            None => self.calls.push((call.model.clone(), 1)),
        }
        self.cost = self.cost.zip(call.cost).map(|(sum, cost)| sum.plus(cost));
    }

    /// Forgets the calls so far: the turn was sent again to another model.
    pub(crate) fn redirected(&mut self) {
        self.calls.clear();
        self.cost = Some(NanoUsd::default());
    }

    /// The model that took the turn: the one that answered most of its calls, the first of several; `None` when
    /// nobody answered.
    pub(crate) fn model(&self) -> Option<&ModelId> {
        let most = self.calls.iter().map(|(_, calls)| *calls).max()?;
        self.calls.iter().find(|(_, calls)| *calls == most).map(|(model, _)| model)
    }

    /// What its calls cost, when that is known.
    pub(crate) const fn cost(&self) -> Option<NanoUsd> {
        self.cost
    }
}
