//! The projection: from the events of turns to rows, and the view a decision reads.

mod saved;

use std::collections::BTreeMap;

use contracts::{
    ModelId, Recommendation, TurnId,
    events::{
        EvalCompleted, LlmCallCompleted, LlmCallFailed, PatternEvicted, PatternFilling, PatternsCleared,
        RouteOverridden, TurnEmbedded, TurnEnded, TurnStarted,
    },
    views::{PatternQuery, PatternView},
};
use event_core::{CodecError, Event as _, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    bounded::Bounded,
    embedding::Embedding,
    judgement::{Judgement, Rubric},
    open_turn::OpenTurn,
    recorded::{RecordedTurn, RecordedTurns, RecordedWork},
    shared::Shared,
    store::{Sample, Store},
};

/// So many running turns are followed; one that never ends is forgotten after so many others began.
const OPEN_TURNS: usize = 1_000;

/// So many messages are remembered with their meaning.
const EMBEDDINGS: usize = 10_000;

/// Everything learned, workspace by workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "saved::Saved")]
pub struct Patterns {
    /// By path; turns without a workspace are under the empty path.
    pub(crate) stores: BTreeMap<String, Store>,
    open: OpenTurns,
    recorded: RecordedTurns,
    embeddings: Embeddings,
    #[serde(skip)]
    workspaces: Shared<String>,
    #[serde(skip)]
    rubrics: Shared<Rubric>,
}

type OpenTurns = Bounded<TurnId, Box<OpenTurn>, OPEN_TURNS>;

/// By the start of the hash of the message.
type Embeddings = Bounded<u64, Embedding, EMBEDDINGS>;

impl Patterns {
    /// What was learned in a workspace.
    pub fn store(&self, workspace: Option<&str>) -> Option<&Store> {
        self.stores.get(workspace.unwrap_or_default())
    }

    fn store_mut(&mut self, workspace: Option<&str>) -> Option<&mut Store> {
        self.stores.get_mut(workspace.unwrap_or_default())
    }

    fn started(&mut self, turn: &TurnStarted) {
        if !self.open.contains(turn.turn) && !self.recorded.contains(turn.turn) {
            self.open.insert(turn.turn, Box::new(OpenTurn::new(turn)));
        }
    }

    /// Records a turn that is over, however it ended, unless no model ever answered.
    fn ended(&mut self, id: TurnId, at: Timestamp) {
        let Some(mut turn) = self.open.remove(id) else { return };
        let done = turn.take_works();
        if done.is_empty() {
            return;
        }
        let workspace = turn.workspace.as_deref().unwrap_or_default();
        if !self.stores.contains_key(workspace) {
            self.stores.insert(workspace.to_owned(), Store::default());
        }
        let Some(store) = self.stores.get_mut(workspace) else { return };
        let works = done.iter().map(|work| {
            let sample = Sample { turn: id, features: &turn.features, model: &work.model, cost: work.cost, at };
            RecordedWork { row: store.record(sample), judgement: None }
        });
        let works = works.collect();
        // Another turn with this message may have been embedded before.
        if let Some(text) = turn.features.text
            && let Some(embedding) = self.embeddings.get(text)
        {
            store.embed(text, embedding);
        }
        let workspace = turn.workspace.map(|workspace| self.workspaces.hold(workspace));
        self.recorded.insert(id, RecordedTurn { workspace, works });
        for (model, judgement) in turn.judgements {
            self.judge(id, model.as_ref(), judgement, at);
        }
    }

    fn judged(&mut self, eval: &EvalCompleted, at: Timestamp) {
        let judgement = Judgement::new(eval, &mut self.rubrics);
        if let Some(turn) = self.open.get_mut(eval.turn) {
            match turn.judgements.iter_mut().find(|(judged, _)| *judged == eval.model) {
                Some((_, earlier)) if judgement.replaces(earlier) => *earlier = judgement,
                Some(_) => {}
                None => turn.judgements.push((eval.model.clone(), judgement)),
            }
        } else {
            self.judge(eval.turn, eval.model.as_ref(), judgement, at);
        }
    }

    /// A verdict on a turn that is over: on what this model did, or on whoever finished it.
    fn judge(&mut self, id: TurnId, model: Option<&ModelId>, judgement: Judgement, at: Timestamp) {
        let Some(turn) = self.recorded.get_mut(id) else { return };
        let Some(store) = self.stores.get_mut(turn.workspace()) else { return };
        let mut works = turn.works.as_mut_slice().iter_mut().rev();
        let is_of = |work: &RecordedWork, model| store.model_of(work.row) == Some(model);
        let Some(work) = works.find(|work| model.is_none_or(|model| is_of(work, model))) else { return };
        if work.judgement.as_ref().is_some_and(|earlier| !judgement.replaces(earlier)) {
            return;
        }
        let before = work.judgement.as_ref().and_then(Judgement::counted);
        let (row, now) = (work.row, judgement.counted());
        work.judgement = Some(judgement);
        store.judge(row, before, now, at);
    }

    fn embedded(&mut self, body: TurnEmbedded) {
        let (text, turn) = (body.text, body.turn);
        let embedding = Embedding::from(body);
        // A turn from before there was an embedder does not say by what its embedding is found; its row is known.
        if let Some(turn) = self.recorded.get(turn)
            && let Some(work) = turn.works.as_slice().first()
            && let Some(store) = self.stores.get_mut(turn.workspace())
        {
            store.embed_row(work.row, &embedding);
        }
        for store in self.stores.values_mut() {
            store.embed(text, &embedding);
        }
        self.embeddings.insert(text, embedding);
    }

    /// What the message of a turn means, when the log knows it.
    pub(crate) fn embedding_of(&self, query: &PatternQuery<'_>) -> Option<&Embedding> {
        self.embeddings.get(query.features.text?)
    }

    /// Folds what says how much is kept.
    fn kept(&mut self, event: &Recorded) -> Result<(), CodecError> {
        match &*event.event.kind {
            PatternFilling::KIND => {
                if let Some(body) = event.view::<PatternFilling>()?
                    && let Some(store) = self.store_mut(body.workspace.as_deref())
                {
                    store.filling = true;
                }
            }
            PatternEvicted::KIND => {
                if let Some(body) = event.view::<PatternEvicted>()?
                    && let Some(store) = self.store_mut(body.workspace.as_deref())
                {
                    store.evict(body.unchanged_since, body.keep);
                }
            }
            PatternsCleared::KIND => {
                if let Some(body) = event.view::<PatternsCleared>()? {
                    self.cleared(&body);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn cleared(&mut self, body: &PatternsCleared) {
        let goes = |workspace: Option<&str>| {
            body.all || workspace.unwrap_or_default() == body.workspace.as_deref().unwrap_or_default()
        };
        self.stores.retain(|workspace, _| !goes(Some(workspace)));
        // A later verdict on one of these turns must not find a row that was made after them.
        self.recorded.retain(|turn| !goes(Some(turn.workspace())));
        if body.all {
            self.embeddings = Bounded::default();
        }
    }
}

impl Projection for Patterns {
    const NAME: &'static str = "patterns";
    const VERSION: u32 = 5;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        let at = event.event.at;
        match &*event.event.kind {
            TurnStarted::KIND => {
                if let Some(turn) = event.view::<TurnStarted>()? {
                    self.started(&turn);
                }
            }
            LlmCallCompleted::KIND => {
                if let Some(call) = event.view::<LlmCallCompleted>()?
                    && let Some(turn) = self.open.get_mut(call.turn)
                {
                    turn.called(&call);
                }
            }
            LlmCallFailed::KIND => {
                if let Some(call) = event.view::<LlmCallFailed>()?
                    && let Some(turn) = self.open.get_mut(call.turn)
                {
                    turn.failed(&call);
                }
            }
            RouteOverridden::KIND => {
                if let Some(body) = event.view::<RouteOverridden>()?
                    && let Some(turn) = self.open.get_mut(body.turn)
                {
                    turn.redirected();
                }
            }
            TurnEnded::KIND => {
                if let Some(turn) = event.view::<TurnEnded>()? {
                    self.ended(turn.turn, at);
                }
            }
            EvalCompleted::KIND => {
                if let Some(eval) = event.view::<EvalCompleted>()? {
                    self.judged(&eval, at);
                }
            }
            TurnEmbedded::KIND => {
                if let Some(body) = event.view::<TurnEmbedded>()? {
                    self.embedded(body.into_owned());
                }
            }
            _ => self.kept(event)?,
        }
        Ok(())
    }
}

impl PatternView for Patterns {
    fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation> {
        self.store(query.workspace)?.recommend_with(query, self.embedding_of(query))
    }
}
