//! Events for tests.

use contracts::{
    CacheVariant, Estimates, Features, ModelId, NanoUsd, Needs, SessionId, ThreadId, Tone, TurnId, Usage,
    events::{CallRole, ErrorClass, LlmCallCompleted, LlmCallFailed, StopReason, TurnStarted},
};
use costs::Costs;
use event_core::{EventId, EventType, NewEvent, Position, Projected, Recorded, Timestamp};

/// Short form of a call.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) session: &'static str,
    pub(crate) role: CallRole,
    pub(crate) thread: Option<&'static str>,
    pub(crate) model: &'static str,
    /// Cost in hundredths of a cent.
    pub(crate) cost: Option<u64>,
    pub(crate) usage: Usage,
    pub(crate) at: Timestamp,
}

pub(crate) fn record<E: EventType>(number: u64, at: Timestamp, body: &E) -> Recorded {
    let id = EventId::derive(&[b"costs", &number.to_le_bytes()]);
    Recorded::new(Position(number), at, NewEvent::new(id, at, id, body).unwrap())
}

pub(crate) fn completed(number: u64, call: &Call) -> Recorded {
    let body = LlmCallCompleted {
        turn: TurnId::default(),
        session: SessionId::try_from(call.session).unwrap(),
        thread: call.thread.map(|thread| ThreadId::try_from(thread).unwrap()),
        model: ModelId::try_from(call.model).unwrap(),
        role: call.role,
        usage: call.usage,
        cost: call.cost.map(|cost| NanoUsd(cost.saturating_mul(100_000))),
        latency_ms: None,
        stop_reason: StopReason::EndTurn,
        tool_calls: 0,
        thinking_blocks: 0,
        raw_usage: None,
        variant: CacheVariant::PLAIN,
        cache_lifetime: None,
        began_at: None,
    };
    record(number, call.at, &body)
}

/// Creates the event of a cancelled call, with its usage only if `is_known`.
pub(crate) fn cancelled(number: u64, call: &Call, is_known: bool) -> Recorded {
    let body = LlmCallFailed {
        turn: TurnId::default(),
        session: SessionId::try_from(call.session).unwrap(),
        thread: call.thread.map(|thread| ThreadId::try_from(thread).unwrap()),
        model: ModelId::try_from(call.model).unwrap(),
        role: call.role,
        class: ErrorClass::Cancelled,
        status: None,
        retries: 0,
        usage: is_known.then_some(call.usage),
        cost: call.cost.filter(|_| is_known).map(|cost| NanoUsd(cost.saturating_mul(100_000))),
        raw_usage: None,
    };
    record(number, call.at, &body)
}

pub(crate) fn turn_started(number: u64, session: &str, thread: Option<&str>) -> Recorded {
    let body = TurnStarted {
        turn: TurnId::default(),
        session: SessionId::try_from(session).unwrap(),
        thread: thread.map(|thread| ThreadId::try_from(thread).unwrap()),
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
        spent_today: NanoUsd::default(),
        features: Features::default(),
        request: None,
        tone: Tone::Plain,
    };
    record(number, Timestamp::default(), &body)
}

pub(crate) fn fold(events: &[Recorded]) -> Projected<Costs> {
    let mut costs = Projected::<Costs>::default();
    for event in events {
        costs.advance(event).unwrap();
    }
    costs
}
