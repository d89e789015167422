//! Events of each type, with everything absent or zero except the arguments.

use contracts::{
    CacheVariant, Estimates, Features, ModelId, NanoUsd, Needs, Score, SessionId, SideEffect, Slot, Spending, Thread,
    Tone, TurnId, Usage,
    events::{
        ErrorClass, EvalCompleted, LlmCallCompleted, LlmCallFailed, RouteOverridden, StopReason, ToolCalled,
        TurnStarted,
    },
};

/// Creates the start of a turn in the main thread, with an empty message, outside any workspace, not through the
/// gateway.
pub fn turn_started(turn: TurnId, session: SessionId) -> TurnStarted {
    TurnStarted {
        turn,
        session,
        thread: Thread::Main,
        message_bytes: 0,
        offset_minutes: 0,
        override_model: None,
        sticky: None,
        delegation: None,
        workspace: None,
        needs: Needs::default(),
        message_has_images: false,
        tool_calls_in_history: false,
        tokens: Estimates::default(),
        extensions: Vec::new(),
        skills: Vec::new(),
        spent_today: NanoUsd(0),
        spending: Spending::default(),
        features: Features::default(),
        tone: Tone::Plain,
        request: None,
    }
}

/// Creates a completed call in the main thread that ended the turn, without usage and of unknown cost and duration.
pub fn call_completed(turn: TurnId, session: SessionId, model: ModelId) -> LlmCallCompleted {
    LlmCallCompleted {
        turn,
        session,
        thread: Thread::Main,
        model,
        usage: Usage::default(),
        cost: None,
        latency_ms: None,
        stop_reason: StopReason::EndTurn,
        tool_calls: 0,
        thinking_blocks: 0,
        raw_usage: None,
        variant: CacheVariant::PLAIN,
        began_at: None,
    }
}

/// Creates a failed call in the main thread that was not retried, without an HTTP status and of unknown usage and cost.
pub fn call_failed(turn: TurnId, session: SessionId, model: ModelId, class: ErrorClass) -> LlmCallFailed {
    LlmCallFailed {
        turn,
        session,
        thread: Thread::Main,
        model,
        class,
        status: None,
        retries: 0,
        usage: None,
        cost: None,
        raw_usage: None,
        key: None,
    }
}

/// Creates the call `call` of a tool named `tool` that may write but names no files.
pub fn tool_called(turn: TurnId, session: SessionId, call: &str) -> ToolCalled {
    ToolCalled {
        turn,
        session,
        call: call.to_owned(),
        name: "tool".to_owned(),
        side_effect: SideEffect::Write,
        extensions: Vec::new(),
        directories: Vec::new(),
        files: Vec::new(),
        reverts: false,
    }
}

/// Creates an evaluation of a turn with full confidence and without signals, by version 1 of the rubric `turn-signals`.
pub fn turn_scored(turn: TurnId, session: SessionId, score: Score) -> EvalCompleted {
    EvalCompleted {
        turn,
        session,
        model: None,
        score,
        confidence: Score::ONE,
        rubric: "turn-signals".to_owned(),
        rubric_version: 1,
        signals: Vec::new(),
        signals_omitted: 0,
    }
}

/// Creates the event with which a user takes the recommendation of the pattern store: the turn moves from the model
/// `original`, which no rule selected, to `model`.
pub fn route_overridden(turn: TurnId, session: SessionId, original: ModelId, model: ModelId) -> RouteOverridden {
    RouteOverridden {
        turn,
        session,
        original,
        model,
        deferred: Slot::PatternRecommendation,
        rule: None,
        confidence: Score::ONE,
    }
}
