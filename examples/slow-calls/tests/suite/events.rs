//! Constructs events for the tests.

use contracts::{
    ModelId,
    events::{LlmCallCompleted, LlmCallStarted},
};
use event_core::{EventId, NewEvent, Timestamp};

/// Returns the model id for a name such as `openai:gpt-5`.
pub(crate) fn model(name: &str) -> ModelId {
    ModelId::try_from(name).unwrap()
}

/// Returns event `number`: a completed call of model `name` with a duration in milliseconds, `None` if unknown.
pub(crate) fn call(number: u64, name: &str, latency_ms: Option<u64>) -> NewEvent {
    let call = LlmCallCompleted { model: model(name), latency_ms, ..LlmCallCompleted::sample() };
    sealed(number, &call)
}

/// Returns event `number`, of a kind that the projection ignores.
pub(crate) fn other(number: u64) -> NewEvent {
    sealed(number, &LlmCallStarted::sample())
}

/// Creates the envelope of event `number`, with `number` as its time in seconds.
fn sealed<E: event_core::EventType>(number: u64, event: &E) -> NewEvent {
    let turn = EventId::derive(&[b"turn"]);
    NewEvent::new(turn.then(E::KIND, number), Timestamp::from_secs(number), turn, event).unwrap()
}
