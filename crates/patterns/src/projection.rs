//! The projection [`Patterns`]: folds the events of turns into one store for each workspace.

mod saved;

use std::collections::BTreeMap;

use contracts::{
    BoundedMap, ModelId, Recommendation, TurnId,
    events::{
        EvalCompleted, LlmCallCompleted, LlmCallFailed, PatternEvicted, PatternFilling, PatternsCleared,
        RouteOverridden, TurnEmbedded, TurnEnded, TurnStarted,
    },
    views::{PatternQuery, PatternView},
};
use event_core::{CodecError, EventType as _, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    embedding::Embedding,
    interner::Interner,
    judgement::{Judgement, RubricVersion},
    recorded::{MAX_RECORDED_TURNS, RecordedTurn, RecordedTurns, RecordedWork},
    running_turn::{ModelWork, RunningTurn},
    store::{Sample, Store},
};

/// The greatest number of running turns in memory; beyond it, the oldest is dropped without being recorded. It bounds
/// the memory for turns whose end is never recorded.
const MAX_RUNNING_TURNS: usize = 1_000;

/// The greatest number of embeddings in memory for later turns with the same message; beyond it, the oldest is dropped.
const MAX_EMBEDDINGS: usize = 10_000;

/// The projection of past turns with their outcomes: one store for each workspace. Turns are recorded when they end;
/// later evaluations change the scores of their rows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "saved::SavedPatterns")]
pub struct Patterns {
    /// The store of each workspace by path; the key is empty for turns without a workspace.
    pub(crate) stores: BTreeMap<String, Store>,
    /// The turns that have started and not ended.
    running: RunningTurns,
    /// The turns that have ended and can still be evaluated.
    recorded: RecordedTurns,
    /// The embeddings of messages, for later turns with the same message.
    embeddings: Embeddings,
    /// The shared paths of workspaces.
    #[serde(skip)]
    workspaces: Interner<String>,
    /// The shared rubrics of evaluations.
    #[serde(skip)]
    rubrics: Interner<RubricVersion>,
}

/// Turns that have started and not ended, by id; at most [`MAX_RUNNING_TURNS`].
type RunningTurns = BoundedMap<TurnId, Box<RunningTurn>>;

/// Embeddings by the first eight bytes of the hash of the message; at most [`MAX_EMBEDDINGS`].
type Embeddings = BoundedMap<u64, Embedding>;

impl Patterns {
    /// Returns the store of a workspace, given by its path (`None` for turns without one); `None` if no turn of the
    /// workspace has been recorded since it was last cleared.
    pub fn store(&self, workspace: Option<&str>) -> Option<&Store> {
        self.stores.get(workspace.unwrap_or_default())
    }

    /// Returns the store of a workspace for modification; see [`store`](Self::store).
    fn store_mut(&mut self, workspace: Option<&str>) -> Option<&mut Store> {
        self.stores.get_mut(workspace.unwrap_or_default())
    }

    /// Adds a running turn; does nothing if the turn is already running or recorded.
    fn apply_started(&mut self, turn: &TurnStarted) {
        let is_known = self.running.get(&turn.turn).is_some() || self.recorded.get(&turn.turn).is_some();
        if !is_known {
            self.running.insert(turn.turn, Box::new(RunningTurn::new(turn)), MAX_RUNNING_TURNS);
        }
    }

    /// Records a turn that has ended, with any status, in the store of its workspace. Does nothing if no call was
    /// answered.
    fn apply_ended(&mut self, id: TurnId, at: Timestamp) {
        let Some(mut turn) = self.running.remove(&id) else { return };
        let works = turn.take_works();
        if works.is_empty() {
            return;
        }
        let RunningTurn { workspace, features, judgements, .. } = *turn;
        let store = self.stores.entry(workspace.clone().unwrap_or_default()).or_default();
        let record = |ModelWork { model, cost }: &ModelWork| {
            let sample = Sample { turn: id, features: &features, model, cost: *cost, at };
            RecordedWork { row: store.record(sample), judgement: None }
        };
        let works = works.iter().map(record).collect();
        // An earlier turn with the same message may have been embedded.
        if let Some(text) = features.text
            && let Some(embedding) = self.embeddings.get(&text)
        {
            store.embed_text(text, embedding);
        }
        let workspace = workspace.map(|workspace| self.workspaces.intern(workspace));
        self.recorded.insert(id, RecordedTurn { workspace, works }, MAX_RECORDED_TURNS);
        for (model, judgement) in judgements {
            self.apply_judgement(id, model.as_ref(), judgement, at);
        }
    }

    /// Applies an evaluation. That of a running turn is stored until the turn ends; that of a recorded turn changes the
    /// score of its row. An event without a model evaluates the model that finished the turn.
    fn apply_eval(&mut self, eval: &EvalCompleted, at: Timestamp) {
        let judgement = Judgement::new(eval, &mut self.rubrics);
        if let Some(turn) = self.running.get_mut(&eval.turn) {
            match turn.judgements.iter_mut().find(|(judged, _)| *judged == eval.model) {
                Some((_, earlier)) if judgement.replaces(earlier) => *earlier = judgement,
                Some(_) => {}
                None => turn.judgements.push((eval.model.clone(), judgement)),
            }
        } else {
            self.apply_judgement(eval.turn, eval.model.as_ref(), judgement, at);
        }
    }

    /// Applies an evaluation to a recorded turn: to the work of `model`, or of the model that finished the turn if
    /// `None`. Does nothing if the turn is not recorded, has no work of the model, or has an evaluation that this one
    /// does not replace.
    fn apply_judgement(&mut self, id: TurnId, model: Option<&ModelId>, judgement: Judgement, at: Timestamp) {
        let Some(turn) = self.recorded.get_mut(&id) else { return };
        let Some(store) = self.stores.get_mut(turn.workspace()) else { return };
        let mut works = turn.works.as_mut_slice().iter_mut().rev();
        let is_work_of = |work: &RecordedWork, model| store.row_model(work.row) == Some(model);
        let Some(work) = works.find(|work| model.is_none_or(|model| is_work_of(work, model))) else { return };
        if work.judgement.as_ref().is_some_and(|earlier| !judgement.replaces(earlier)) {
            return;
        }
        let before = work.judgement.as_ref().and_then(Judgement::counted_score);
        let (row, after) = (work.row, judgement.counted_score());
        work.judgement = Some(judgement);
        store.replace_score(row, before, after, at);
    }

    /// Stores the embedding of a message: for the turn of the event, for all recorded turns with the same message in
    /// every workspace, and for later ones.
    fn apply_embedded(&mut self, event: TurnEmbedded) {
        let (text, turn) = (event.text, event.turn);
        let embedding = Embedding::from(event);
        // Turns recorded before an embedder was configured have no text hash; they are found by their row.
        if let Some(turn) = self.recorded.get(&turn)
            && let Some(work) = turn.works.as_slice().first()
            && let Some(store) = self.stores.get_mut(turn.workspace())
        {
            store.embed_row(work.row, &embedding);
        }
        for store in self.stores.values_mut() {
            store.embed_text(text, &embedding);
        }
        self.embeddings.insert(text, embedding, MAX_EMBEDDINGS);
    }

    /// Returns the embedding of the queried turn's message; `None` if the turn has no text hash or no embedding of the
    /// message is known.
    pub(crate) fn message_embedding(&self, query: &PatternQuery<'_>) -> Option<&Embedding> {
        self.embeddings.get(&query.features.text?)
    }

    /// Applies the events that report, evict or clear rows of stores; ignores all others. Fails if the event cannot be
    /// decoded.
    fn apply_capacity(&mut self, recorded: &Recorded) -> Result<(), CodecError> {
        match &*recorded.event.kind {
            PatternFilling::KIND => {
                if let Some(event) = recorded.view::<PatternFilling>()?
                    && let Some(store) = self.store_mut(event.workspace.as_deref())
                {
                    store.filling = true;
                }
            }
            PatternEvicted::KIND => {
                if let Some(event) = recorded.view::<PatternEvicted>()?
                    && let Some(store) = self.store_mut(event.workspace.as_deref())
                {
                    store.evict(event.unchanged_since, event.keep);
                }
            }
            PatternsCleared::KIND => {
                if let Some(event) = recorded.view::<PatternsCleared>()? {
                    self.apply_cleared(&event);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Removes the store of one workspace, or all stores and embeddings, with the recorded turns that refer to them.
    fn apply_cleared(&mut self, event: &PatternsCleared) {
        let cleared = event.workspace.as_deref().unwrap_or_default();
        let is_cleared = |workspace: &str| event.all || workspace == cleared;
        self.stores.retain(|workspace, _| !is_cleared(workspace));
        // A later evaluation of these turns must not find a row of a new store.
        self.recorded.retain(|turn| !is_cleared(turn.workspace()));
        if event.all {
            self.embeddings = BoundedMap::default();
        }
    }
}

impl Projection for Patterns {
    const NAME: &'static str = "patterns";
    const VERSION: u32 = 5;

    fn apply(&mut self, recorded: &Recorded) -> Result<(), CodecError> {
        let at = recorded.event.at;
        match &*recorded.event.kind {
            TurnStarted::KIND => {
                if let Some(turn) = recorded.view::<TurnStarted>()? {
                    self.apply_started(&turn);
                }
            }
            LlmCallCompleted::KIND => {
                if let Some(call) = recorded.view::<LlmCallCompleted>()?
                    && let Some(turn) = self.running.get_mut(&call.turn)
                {
                    turn.add_call(&call);
                }
            }
            LlmCallFailed::KIND => {
                if let Some(call) = recorded.view::<LlmCallFailed>()?
                    && let Some(turn) = self.running.get_mut(&call.turn)
                {
                    turn.add_failed_call(&call);
                }
            }
            RouteOverridden::KIND => {
                if let Some(event) = recorded.view::<RouteOverridden>()?
                    && let Some(turn) = self.running.get_mut(&event.turn)
                {
                    turn.reassign();
                }
            }
            TurnEnded::KIND => {
                if let Some(turn) = recorded.view::<TurnEnded>()? {
                    self.apply_ended(turn.turn, at);
                }
            }
            EvalCompleted::KIND => {
                if let Some(eval) = recorded.view::<EvalCompleted>()? {
                    self.apply_eval(&eval, at);
                }
            }
            TurnEmbedded::KIND => {
                if let Some(event) = recorded.view::<TurnEmbedded>()? {
                    self.apply_embedded(event.into_owned());
                }
            }
            _ => self.apply_capacity(recorded)?,
        }
        Ok(())
    }
}

impl PatternView for Patterns {
    fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation> {
        self.store(query.workspace)?.recommend_with_embedding(query, self.message_embedding(query))
    }
}
