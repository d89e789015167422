//! Features, samples and events for tests.

use contracts::{
    CacheVariant, Estimates, Features, IntentTag, ModelId, NanoUsd, Needs, Recommendation, Score, SessionId,
    SideEffect, Slot, Thread, TokenBucket, Tone, TurnId, Usage,
    events::{
        ErrorClass, EvalCompleted, LlmCallCompleted, LlmCallFailed, RouteOverridden, StopReason, TurnEnded,
        TurnStarted, TurnStatus,
    },
    views::{Estimator, PatternQuery, PatternSettings},
};
use event_core::{EventId, EventType, NewEvent, Position, Projected, Recorded, Timestamp};
use patterns::{Patterns, Sample, Store};

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
        let position = Position(self.events.len() as u64 + 1);
        let id = EventId::derive(&[b"patterns", &position.0.to_le_bytes()]);
        let recorded_at = Timestamp::from_secs(position.0);
        let event = NewEvent::new(id, recorded_at, id, body).unwrap();
        let recorded = Recorded::new(position, recorded_at, event);
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
        turn: turn(name),
        session: session(),
        thread: Thread::Main,
        message_bytes: 0,
        offset_minutes: 0,
        override_model: None,
        sticky: None,
        delegation: None,
        workspace: Some(WORKSPACE.to_owned()),
        needs: Needs::default(),
        message_has_images: false,
        tool_calls_in_history: false,
        tokens: Estimates::default(),
        extensions: Vec::new(),
        skills: Vec::new(),
        spent_today: NanoUsd::default(),
        spending: contracts::Spending::default(),
        features: features.clone(),
        tone: Tone::Plain,
        request: None,
    }
}

/// Returns an answered call of the model `by`; `cost` is in nano-dollars.
pub(crate) fn called(name: &str, by: &str, cost: Option<u64>) -> LlmCallCompleted {
    LlmCallCompleted {
        turn: turn(name),
        session: session(),
        thread: Thread::Main,
        model: model(by),
        usage: Usage::default(),
        cost: cost.map(NanoUsd),
        latency_ms: None,
        stop_reason: StopReason::EndTurn,
        tool_calls: 0,
        thinking_blocks: 0,
        raw_usage: None,
        variant: CacheVariant::PLAIN,
        began_at: None,
    }
}

/// Returns an interrupted call; `usage` is `None` if it is unknown.
pub(crate) fn interrupted_call(name: &str, by: &str, cost: Option<u64>, usage: Option<Usage>) -> LlmCallFailed {
    LlmCallFailed {
        turn: turn(name),
        session: session(),
        thread: Thread::Main,
        model: model(by),
        class: ErrorClass::Network,
        status: None,
        retries: 0,
        usage,
        cost: cost.map(NanoUsd),
        raw_usage: None,
        key: None,
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
    RouteOverridden {
        turn: turn(name),
        session: session(),
        original: model(original),
        model: model(to),
        deferred: Slot::PatternRecommendation,
        rule: None,
        confidence: Score::ONE,
    }
}

/// Returns an evaluation with score and confidence in hundredths, by a version of a rubric.
pub(crate) fn judged(name: &str, score: u64, confidence: u64, version: u16) -> EvalCompleted {
    EvalCompleted {
        turn: turn(name),
        session: session(),
        model: None,
        score: Score(score * 10_000_000),
        confidence: Score(confidence * 10_000_000),
        rubric: "turn-signals".to_owned(),
        rubric_version: version,
        signals: Vec::new(),
        signals_omitted: 0,
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
    PatternSettings::of(Estimator::Paper)
}
