//! Creates events of calls and turns, and folds them into [`Costs`].

use contracts::{
    ModelId, NanoUsd, SessionId, Thread, Usage,
    events::{ErrorClass, LlmCallCompleted, LlmCallFailed, TurnStarted},
};
use costs::Costs;
use event_core::{Projected, Recorded, Timestamp};
use test_events::recorded;

/// The properties of a call on which its costs depend.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// Session of the call.
    pub(crate) session: &'static str,
    /// Thread of the call.
    pub(crate) thread: Thread,
    /// Id of the model.
    pub(crate) model: &'static str,
    /// Cost in hundredths of a cent; `None` if the price is unknown.
    pub(crate) cost: Option<u64>,
    /// Tokens that the call used.
    pub(crate) usage: Usage,
    /// End of the call.
    pub(crate) at: Timestamp,
}

/// Creates the event of a completed call.
pub(crate) fn completed(number: u64, call: &Call) -> Recorded {
    let body = LlmCallCompleted {
        session: SessionId::try_from(call.session).unwrap(),
        thread: call.thread.clone(),
        model: ModelId::try_from(call.model).unwrap(),
        usage: call.usage,
        cost: call.cost.map(|cost| NanoUsd(cost.saturating_mul(100_000))),
        ..LlmCallCompleted::sample()
    };
    recorded(number, call.at, &body)
}

/// Creates the event of a cancelled call, with its usage and cost only if `is_known`.
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
    recorded(number, call.at, &body)
}

/// Creates the event of a turn's start, at time 0.
pub(crate) fn turn_started(number: u64, session: &str, thread: Thread) -> Recorded {
    let session = SessionId::try_from(session).unwrap();
    recorded(number, Timestamp::default(), &TurnStarted { session, thread, ..TurnStarted::sample() })
}

/// Returns the thread of a sub-agent.
pub(crate) fn sub_agent(id: &str) -> Thread {
    Thread::SubAgent(id.try_into().unwrap())
}

/// Folds events into the projection.
pub(crate) fn fold(events: &[Recorded]) -> Projected<Costs> {
    let mut costs = Projected::<Costs>::default();
    for event in events {
        costs.advance(event).unwrap();
    }
    costs
}
