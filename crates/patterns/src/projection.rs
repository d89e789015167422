//! The projection [`Patterns`]: folds the events of turns into one store for each workspace.

mod saved;

use std::collections::BTreeMap;

use contracts::{
    BoundedMap, Event, ModelId, Recommendation, TurnId, event_subset,
    events::{EvalCompleted, PatternsCleared, TurnEmbedded, TurnStarted},
    views::{PatternQuery, PatternView},
};
use event_core::{Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    embedding::Embedding,
    evaluation::{RubricVersion, TurnEvaluation},
    idle_stores::IdleStores,
    interner::Interner,
    recorded::{MAX_RECORDED_TURNS, RecordedTurn, RecordedTurns, RecordedWork},
    running_turn::{ModelWork, RunningTurn},
    store::{Sample, Store},
};

/// The greatest number of running turns in memory; beyond it, the oldest is dropped without being recorded. It bounds
/// the memory for turns whose end is never recorded.
const MAX_RUNNING_TURNS: usize = 1_000;

/// The greatest number of embeddings in memory for later turns with the same message; beyond it, the oldest is dropped.
const MAX_EMBEDDINGS: usize = 10_000;

/// The projection of past turns with their outcomes: one store for each workspace. A turn is added to its store when it
/// ends; later evaluations of the turn change the scores in its rows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "saved::SavedPatterns")]
pub struct Patterns {
    /// The store of each workspace in memory by path; the key is empty for turns without a workspace.
    pub(crate) stores: BTreeMap<String, Store>,
    /// The turns that have started and not ended.
    pub(crate) running: RunningTurns,
    /// The turns that have ended and can still be evaluated.
    pub(crate) recorded: RecordedTurns,
    /// The embeddings of messages, for later turns with the same message.
    embeddings: Embeddings,
    /// Summaries of the stores that are not in memory.
    pub(crate) idle: IdleStores,
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
    /// Returns the store of a workspace, given by its path; a path of `None` selects the store of turns without a
    /// workspace. Returns `None` if no turn of the workspace has been recorded since it was last cleared, or if the store
    /// is not in memory.
    pub fn store(&self, workspace: Option<&str>) -> Option<&Store> {
        self.stores.get(workspace.unwrap_or_default())
    }

    /// Returns the store of a workspace for modification; see [`store`](Self::store). `None` if the workspace has no
    /// store.
    fn store_mut(&mut self, workspace: Option<&str>) -> Option<&mut Store> {
        self.stores.get_mut(workspace.unwrap_or_default())
    }

    /// Folds `turn.started`: adds the turn to the running turns. Does nothing if the turn is already running or
    /// recorded.
    fn apply_started(&mut self, turn: &TurnStarted) {
        let is_known = self.running.get(&turn.turn).is_some() || self.recorded.get(&turn.turn).is_some();
        if !is_known {
            self.running.insert(turn.turn, Box::new(RunningTurn::new(turn)), MAX_RUNNING_TURNS);
        }
    }

    /// Folds `turn.ended`: records the outcomes of a running turn in the store of its workspace, whatever the status of
    /// the turn is. Does nothing if the turn is not running, and discards it if no call was answered. `at` is the time
    /// of the event.
    fn apply_ended(&mut self, id: TurnId, at: Timestamp) {
        let Some(mut turn) = self.running.remove(&id) else { return };
        let works = turn.take_works();
        if works.is_empty() {
            return;
        }
        let RunningTurn { workspace, features, evaluations, .. } = *turn;
        let store = self.stores.entry(workspace.clone().unwrap_or_default()).or_default();
        let record = |ModelWork { model, cost }: &ModelWork| {
            let sample = Sample { turn: id, features: &features, model, cost: *cost, at };
            RecordedWork { row: store.record(sample), evaluation: None }
        };
        let works = works.iter().map(record).collect();
        // An earlier turn with the same message may have been embedded.
        if let Some(text) = features.text
            && let Some(embedding) = self.embeddings.get(&text)
        {
            store.set_embedding_of_text(text, embedding);
        }
        let workspace = workspace.map(|workspace| self.workspaces.intern(workspace));
        self.recorded.insert(id, RecordedTurn { workspace, works }, MAX_RECORDED_TURNS);
        for (model, evaluation) in evaluations {
            self.apply_evaluation_of_model(id, model.as_ref(), evaluation, at);
        }
    }

    /// Folds `eval.completed`. The evaluation of a running turn is stored until the turn ends; that of a recorded turn
    /// changes the score of its row. An event without a model evaluates the model that finished the turn.
    fn apply_eval(&mut self, eval: &EvalCompleted, at: Timestamp) {
        let evaluation = TurnEvaluation::new(eval, &mut self.rubrics);
        if let Some(turn) = self.running.get_mut(&eval.turn) {
            match turn.evaluations.iter_mut().find(|(judged, _)| *judged == eval.model) {
                Some((_, earlier)) if evaluation.replaces(earlier) => *earlier = evaluation,
                Some(_) => {}
                None => turn.evaluations.push((eval.model.clone(), evaluation)),
            }
        } else {
            self.apply_evaluation_of_model(eval.turn, eval.model.as_ref(), evaluation, at);
        }
    }

    /// Applies an evaluation to a recorded turn: to the work of `model`, or of the model that finished the turn if
    /// `None`. Does nothing if the turn is not recorded, has no work of the model, or already has an evaluation that
    /// takes precedence.
    fn apply_evaluation_of_model(
        &mut self,
        id: TurnId,
        model: Option<&ModelId>,
        evaluation: TurnEvaluation,
        at: Timestamp,
    ) {
        let Some(turn) = self.recorded.get_mut(&id) else { return };
        let Some(store) = self.stores.get_mut(turn.workspace()) else { return };
        let mut works = turn.works.as_mut_slice().iter_mut().rev();
        let is_work_of = |work: &RecordedWork, model| store.row_model(work.row) == Some(model);
        let Some(work) = works.find(|work| model.is_none_or(|model| is_work_of(work, model))) else { return };
        if work.evaluation.as_ref().is_some_and(|earlier| !evaluation.replaces(earlier)) {
            return;
        }
        let before = work.evaluation.as_ref().and_then(TurnEvaluation::counted_score);
        let (row, after) = (work.row, evaluation.counted_score());
        work.evaluation = Some(evaluation);
        store.replace_score(row, before, after, at);
    }

    /// Folds `turn.embedded`: stores the embedding of a message for the turn of the event, for all recorded turns with
    /// the same message in every workspace, and for later turns.
    fn apply_embedded(&mut self, event: &TurnEmbedded) {
        let (text, turn) = (event.text, event.turn);
        let embedding = Embedding::from(event);
        // Turns recorded before an embedder was configured have no text hash; they are found by their row.
        if let Some(turn) = self.recorded.get(&turn)
            && let Some(work) = turn.works.as_slice().first()
            && let Some(store) = self.stores.get_mut(turn.workspace())
        {
            store.set_embedding_of_row(work.row, &embedding);
        }
        for store in self.stores.values_mut() {
            store.set_embedding_of_text(text, &embedding);
        }
        self.embeddings.insert(text, embedding, MAX_EMBEDDINGS);
    }

    /// Returns the embedding of the queried turn's message; `None` if the turn has no text hash or no embedding of the
    /// message is known.
    pub(crate) fn message_embedding(&self, query: &PatternQuery<'_>) -> Option<&Embedding> {
        self.embeddings.get(&query.features.text?)
    }

    /// Folds `pattern.cleared`: removes the store of one workspace, or all stores and embeddings, together with the
    /// recorded turns whose rows were in them.
    fn apply_cleared(&mut self, event: &PatternsCleared) {
        let cleared = event.workspace.as_deref().unwrap_or_default();
        let is_cleared = |workspace: &str| event.all || workspace == cleared;
        self.stores.retain(|workspace, _| !is_cleared(workspace));
        // A later evaluation of these turns must not find a row of a new store.
        self.recorded.retain(|turn| !is_cleared(turn.workspace()));
        self.idle.apply_cleared(event);
        if event.all {
            self.embeddings = BoundedMap::default();
        }
    }
}

event_subset! {
    /// The events that samples and their verdicts are computed from.
    pub enum PatternEvent {
        EvalCompleted,
        LlmCallCompleted,
        LlmCallFailed,
        PatternEvicted,
        PatternFilling,
        PatternsCleared,
        RouteOverridden,
        TurnEmbedded,
        TurnEnded,
        TurnStarted,
    }
}

impl Projection for Patterns {
    const NAME: &'static str = "patterns";
    const VERSION: u32 = 6;
    type Events = Event;
    type Folded<'a> = PatternEvent<'a>;

    fn apply(&mut self, event: PatternEvent<'_>, recorded: &Recorded) {
        let at = recorded.event.at;
        match event {
            PatternEvent::TurnStarted(turn) => self.apply_started(turn),
            PatternEvent::LlmCallCompleted(call) => {
                if let Some(turn) = self.running.get_mut(&call.turn) {
                    turn.add_call(call);
                }
            }
            PatternEvent::LlmCallFailed(call) => {
                if let Some(turn) = self.running.get_mut(&call.turn) {
                    turn.add_failed_call(call);
                }
            }
            PatternEvent::RouteOverridden(event) => {
                if let Some(turn) = self.running.get_mut(&event.turn) {
                    turn.reassign();
                }
            }
            PatternEvent::TurnEnded(turn) => self.apply_ended(turn.turn, at),
            PatternEvent::EvalCompleted(eval) => self.apply_eval(eval, at),
            PatternEvent::TurnEmbedded(event) => self.apply_embedded(event),
            PatternEvent::PatternFilling(event) => {
                if let Some(store) = self.store_mut(event.workspace.as_deref()) {
                    store.filling = true;
                }
            }
            PatternEvent::PatternEvicted(event) => {
                if let Some(store) = self.store_mut(event.workspace.as_deref()) {
                    store.evict(event.unchanged_since, event.keep);
                }
            }
            PatternEvent::PatternsCleared(event) => self.apply_cleared(event),
        }
    }
}

impl PatternView for Patterns {
    fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation> {
        self.store(query.workspace)?.recommend_with_embedding(query, self.message_embedding(query))
    }
}
