//! Events written by hand.

use contracts::{
    ModelId,
    events::{DocumentedEvent as _, LlmCallCompleted, LlmCallStarted},
};
use event_core::{EventId, NewEvent, Timestamp};

pub(crate) fn model(name: &str) -> ModelId {
    ModelId::try_from(name).unwrap()
}

/// The `number`-th event: a call of `model` that took so many milliseconds, when that is known.
pub(crate) fn call(number: u64, name: &str, latency_ms: Option<u64>) -> NewEvent {
    let call = LlmCallCompleted { model: model(name), latency_ms, ..LlmCallCompleted::sample() };
    sealed(number, &call)
}

/// The `number`-th event, of a kind the projection does not care about.
pub(crate) fn other(number: u64) -> NewEvent {
    sealed(number, &LlmCallStarted::sample())
}

fn sealed<E: event_core::Event>(number: u64, event: &E) -> NewEvent {
    let turn = EventId::derive(&[b"turn"]);
    NewEvent::new(turn.then(E::KIND, number), Timestamp::from_secs(number), turn, event).unwrap()
}
