//! The projection: from the facts of turns to rows, and the view a decision reads.

use std::collections::BTreeMap;

use contracts::{
    Features, ModelId, Recommendation, TurnId,
    facts::{EvalCompleted, LlmCallCompleted, RouteOverridden, TurnEnded, TurnStarted},
    views::{PatternSettings, PatternView},
};
use event_core::{CodecError, Projection, Recorded};
use serde::{Deserialize, Serialize};

use crate::{
    bounded::Bounded,
    judgement::Judgement,
    open_turn::OpenTurn,
    store::{RowId, Sample, Store},
};

/// So many running turns are followed; one that never ends is forgotten after so many others began.
const OPEN_TURNS: usize = 1_000;

/// So many turns can still be judged after they are over; later judgements of older turns are not counted.
const JUDGEABLE_TURNS: usize = 20_000;

/// Everything learned, workspace by workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Patterns {
    /// By path; turns without a workspace are under the empty path.
    pub(crate) stores: BTreeMap<String, Store>,
    open: Bounded<OpenTurn, OPEN_TURNS>,
    recorded: Bounded<RecordedTurn, JUDGEABLE_TURNS>,
}

/// A turn that is over and where its sample went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RecordedTurn {
    workspace: Option<String>,
    row: RowId,
    judgement: Option<Judgement>,
}

impl Patterns {
    /// What was learned in a workspace.
    pub fn store(&self, workspace: Option<&str>) -> Option<&Store> {
        self.stores.get(workspace.unwrap_or_default())
    }

    fn started(&mut self, turn: TurnStarted) {
        if !self.open.contains(turn.turn) && !self.recorded.contains(turn.turn) {
            self.open.insert(turn.turn, OpenTurn::new(turn));
        }
    }

    /// Records a turn that is over, however it ended, unless no model ever answered.
    fn ended(&mut self, id: TurnId) {
        let Some(turn) = self.open.remove(id) else { return };
        let Some(model) = turn.model() else { return };
        let store = self.stores.entry(turn.workspace.clone().unwrap_or_default()).or_default();
        let row = store.record(Sample { features: &turn.features, model, cost: turn.cost() });
        if let Some(judgement) = &turn.judgement {
            store.judge(row, None, judgement.counted());
        }
        self.recorded.insert(id, RecordedTurn { workspace: turn.workspace, row, judgement: turn.judgement });
    }

    fn judged(&mut self, eval: EvalCompleted) {
        let id = eval.turn;
        let judgement = Judgement::from(eval);
        let replaces = |earlier: &Option<Judgement>| earlier.as_ref().is_none_or(|earlier| judgement.replaces(earlier));
        if let Some(turn) = self.open.get_mut(id) {
            if replaces(&turn.judgement) {
                turn.judgement = Some(judgement);
            }
        } else if let Some(turn) = self.recorded.get_mut(id)
            && replaces(&turn.judgement)
        {
            let before = turn.judgement.as_ref().and_then(Judgement::counted);
            if let Some(store) = self.stores.get_mut(turn.workspace.as_deref().unwrap_or_default()) {
                store.judge(turn.row, before, judgement.counted());
            }
            turn.judgement = Some(judgement);
        }
    }
}

impl Projection for Patterns {
    const NAME: &'static str = "patterns";
    const VERSION: u32 = 1;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        if let Some(turn) = event.read::<TurnStarted>()? {
            self.started(turn);
        } else if let Some(call) = event.read::<LlmCallCompleted>()? {
            if let Some(turn) = self.open.get_mut(call.turn) {
                turn.called(&call);
            }
        } else if let Some(fact) = event.read::<RouteOverridden>()? {
            if let Some(turn) = self.open.get_mut(fact.turn) {
                turn.redirected();
            }
        } else if let Some(turn) = event.read::<TurnEnded>()? {
            self.ended(turn.turn);
        } else if let Some(eval) = event.read::<EvalCompleted>()? {
            self.judged(eval);
        }
        Ok(())
    }
}

impl PatternView for Patterns {
    fn recommend(
        &self,
        workspace: Option<&str>,
        features: &Features,
        settings: &PatternSettings,
        known: &dyn Fn(&ModelId) -> bool,
    ) -> Option<Recommendation> {
        self.store(workspace)?.recommend(features, settings, known)
    }
}
