//! Constructs events for the tests.

use contracts::{
    ModelId,
    events::{LlmCallCompleted, LlmCallStarted},
};
use event_core::{NewEvent, Timestamp};
use test_events::new_event;

/// Returns the model id for a name such as `openai:gpt-5`.
pub(crate) fn model(name: &str) -> ModelId {
    ModelId::try_from(name).unwrap()
}

/// Returns event `number`: a completed call of model `name` with a duration in milliseconds, `None` if unknown.
pub(crate) fn call(number: u64, name: &str, latency_ms: Option<u64>) -> NewEvent {
    let call = LlmCallCompleted { model: model(name), latency_ms, ..LlmCallCompleted::sample() };
    new_event(number, Timestamp::from_secs(number), &call)
}

/// Returns event `number`, of a kind that the projection ignores.
pub(crate) fn other(number: u64) -> NewEvent {
    new_event(number, Timestamp::from_secs(number), &LlmCallStarted::sample())
}
