//! Events for tests.

use contracts::{
    ModelId, NanoUsd, SessionId, Thread, Usage,
    events::{ErrorClass, LlmCallCompleted, LlmCallFailed, TurnStarted},
};
use costs::Costs;
use event_core::{EventId, EventType, NewEvent, Position, Projected, Recorded, Timestamp};

/// Short form of a call.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) session: &'static str,
    pub(crate) thread: Thread,
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
        session: SessionId::try_from(call.session).unwrap(),
        thread: call.thread.clone(),
        model: ModelId::try_from(call.model).unwrap(),
        usage: call.usage,
        cost: call.cost.map(|cost| NanoUsd(cost.saturating_mul(100_000))),
        ..LlmCallCompleted::sample()
    };
    record(number, call.at, &body)
}

/// Creates the event of a cancelled call, with its usage only if `is_known`.
pub(crate) fn cancelled(number: u64, call: &Call, is_known: bool) -> Recorded {
    let body = LlmCallFailed {
        session: SessionId::try_from(call.session).unwrap(),
        thread: call.thread.clone(),
        model: ModelId::try_from(call.model).unwrap(),
        class: ErrorClass::Cancelled,
        usage: is_known.then_some(call.usage),
        cost: call.cost.filter(|_| is_known).map(|cost| NanoUsd(cost.saturating_mul(100_000))),
        ..LlmCallFailed::sample()
    };
    record(number, call.at, &body)
}

pub(crate) fn turn_started(number: u64, session: &str, thread: Thread) -> Recorded {
    let session = SessionId::try_from(session).unwrap();
    record(number, Timestamp::default(), &TurnStarted { session, thread, ..TurnStarted::sample() })
}

/// The thread of a sub-agent.
pub(crate) fn sub_agent(id: &str) -> Thread {
    Thread::SubAgent(id.try_into().unwrap())
}

pub(crate) fn fold(events: &[Recorded]) -> Projected<Costs> {
    let mut costs = Projected::<Costs>::default();
    for event in events {
        costs.advance(event).unwrap();
    }
    costs
}
