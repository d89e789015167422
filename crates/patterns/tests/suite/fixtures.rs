//! Features, samples and events for tests.

use contracts::{
    Features, IntentTag, ModelId, NanoUsd, Recommendation, Score, SessionId, SideEffect, Thread, TokenBucket, TurnId,
    Usage,
    events::{
        ErrorClass, EvalCompleted, LlmCallCompleted, LlmCallFailed, RouteOverridden, TurnEnded, TurnStarted, TurnStatus,
    },
    views::{Estimator, PatternQuery, PatternSettings},
};
use event_core::{EventType, Projected, Recorded, Timestamp};
use patterns::{Patterns, Sample, Store};
use test_events::{call_completed, call_failed, recorded, route_overridden, turn_scored, turn_started};

/// Returns the model id for a name such as `a:x`.
pub(crate) fn model(name: &str) -> ModelId {
    ModelId::try_from(name).unwrap()
}

/// Converts string slices to owned strings.
fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

/// Returns the features of two turns whose similarity is 0.375.
pub(crate) fn golden() -> [Features; 2] {
    let one = Features {
        extensions: strings(&[".py"]),
        tools: strings(&["read_file"]),
        tokens: TokenBucket(1),
        intents: [IntentTag::Refactor, IntentTag::Architecture, IntentTag::Test].into_iter().collect(),
        ..Features::default()
    };
    let other = Features {
        extensions: strings(&[".py", ".sql"]),
        images: true,
        intents: [IntentTag::Architecture, IntentTag::Debug].into_iter().collect(),
        ..Features::default()
    };
    [one, other]
}

/// Returns features with one intent only.
pub(crate) fn with_intent(intent: IntentTag) -> Features {
    Features { intents: [intent].into_iter().collect(), ..Features::default() }
}

/// Returns features with a value of every kind except images.
pub(crate) fn full() -> Features {
    Features {
        extensions: strings(&[".rs"]),
        directories: strings(&["src"]),
        tools: strings(&["Read"]),
        side_effects: vec![SideEffect::Read],
        images: false,
        tool_history: true,
        tokens: TokenBucket(2),
        intents: [IntentTag::Refactor].into_iter().collect(),
        ..Features::default()
    }
}

/// A log with its projection.
#[derive(Default)]
pub(crate) struct Log {
    /// All events so far; positions start at 1.
    pub(crate) events: Vec<Recorded>,
    /// The projection after the last event.
    pub(crate) view: Projected<Patterns>,
}

/// The workspace of all turns.
pub(crate) const WORKSPACE: &str = "/home/dev/shop";

impl Log {
    /// Appends an event and applies it to the projection; its time in seconds equals its position.
    pub(crate) fn append<E: EventType>(&mut self, body: &E) {
        let position = self.events.len() as u64 + 1;
        let recorded = recorded(position, Timestamp::from_secs(position), body);
        self.view.advance(&recorded).unwrap();
        self.events.push(recorded);
    }

    /// Appends a turn with one call of `model`; `cost` is in nano-dollars.
    pub(crate) fn turn(&mut self, name: &str, features: &Features, model: &str, cost: Option<u64>) {
        self.append(&started(name, features));
        self.append(&called(name, model, cost));
        self.append(&ended(name));
    }

    /// Returns workspace, fingerprints, rows, samples and scored samples of every store.
    pub(crate) fn status(&self) -> Vec<(Option<&str>, usize, usize, u64, u64)> {
        let status = self.view.state().status();
        status.map(|row| (row.workspace, row.fingerprints, row.rows, row.samples, row.scored)).collect()
    }
}

/// Returns the id of a turn, derived from its name.
pub(crate) fn turn(name: &str) -> TurnId {
    TurnId::derive(&session(), name)
}

/// Returns the id of the only session.
fn session() -> SessionId {
    SessionId::try_from("s").unwrap()
}

/// Returns the start of a turn in the main thread of [`WORKSPACE`].
pub(crate) fn started(name: &str, features: &Features) -> TurnStarted {
    TurnStarted {
        workspace: Some(WORKSPACE.to_owned()),
        features: features.clone(),
        ..turn_started(turn(name), session())
    }
}

/// Returns an answered call of the model `by`; `cost` is in nano-dollars.
pub(crate) fn called(name: &str, by: &str, cost: Option<u64>) -> LlmCallCompleted {
    LlmCallCompleted { cost: cost.map(NanoUsd), ..call_completed(turn(name), session(), model(by)) }
}

/// Returns an interrupted call; `usage` is `None` if it is unknown.
pub(crate) fn interrupted_call(name: &str, by: &str, cost: Option<u64>, usage: Option<Usage>) -> LlmCallFailed {
    LlmCallFailed {
        usage,
        cost: cost.map(NanoUsd),
        ..call_failed(turn(name), session(), model(by), ErrorClass::Network)
    }
}

/// Returns a call of a worker inside the turn.
pub(crate) fn worker_call(name: &str, by: &str, cost: Option<u64>) -> LlmCallCompleted {
    let thread = Thread::SubAgent("worker".try_into().unwrap());
    LlmCallCompleted { thread, ..called(name, by, cost) }
}

/// Returns the end of a completed turn.
pub(crate) fn ended(name: &str) -> TurnEnded {
    TurnEnded { turn: turn(name), session: session(), status: TurnStatus::Completed, llm_calls: 1, tool_calls: 0 }
}

/// Returns the event with which the user reassigns a turn from the model `original` to `to`.
pub(crate) fn overridden(name: &str, original: &str, to: &str) -> RouteOverridden {
    route_overridden(turn(name), session(), model(original), model(to))
}

/// Returns an evaluation with score and confidence in hundredths, by a version of a rubric.
pub(crate) fn judged(name: &str, score: u64, confidence: u64, version: u16) -> EvalCompleted {
    EvalCompleted {
        confidence: Score(confidence * 10_000_000),
        rubric_version: version,
        ..turn_scored(turn(name), session(), Score(score * 10_000_000))
    }
}

/// Returns a sample with default turn and time; `cost` is in nano-dollars.
pub(crate) fn sample<'a>(features: &'a Features, model: &'a ModelId, cost: Option<u64>) -> Sample<'a> {
    Sample { turn: TurnId::default(), features, model, cost: cost.map(NanoUsd), at: Timestamp::default() }
}

/// Returns the recommendation if all models are known.
pub(crate) fn recommend_any(store: &Store, features: &Features, settings: &PatternSettings) -> Option<Recommendation> {
    recommend_known(store, features, settings, &|_| true)
}

/// Returns the recommendation for a set of known models.
pub(crate) fn recommend_known(
    store: &Store,
    features: &Features,
    settings: &PatternSettings,
    known: &dyn Fn(&ModelId) -> bool,
) -> Option<Recommendation> {
    store.recommend(&PatternQuery { workspace: None, features, settings, baseline: None, known })
}

/// Returns the settings of the estimator `Paper`.
pub(crate) fn paper() -> PatternSettings {
    PatternSettings::defaults_for(Estimator::Paper)
}
