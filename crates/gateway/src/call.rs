//! A running call to a provider, whose outcome is recorded exactly once.

use contracts::{
    ResponseSummary, Usage,
    events::{ErrorClass, TurnStatus},
};
use engine::{Call, CallFailure, Engine};
use event_bus::Bus;
use event_core::Timestamp;

/// A model call that was sent to a provider and has no recorded outcome yet. Dropping it records the call and its turn
/// as cancelled.
#[derive(Debug)]
pub(crate) struct RunningCall {
    /// The bus whose thread records the outcome.
    bus: Bus<Engine>,
    /// The recorded start of the call; `None` once its outcome was recorded or [`RunningCall::into_call`] returned it.
    call: Option<Call>,
    /// Returns the current time; the same clock as the log's.
    now: fn() -> Timestamp,
    /// The time of the first response byte; `None` before it arrives.
    first_byte_at: Option<Timestamp>,
}

impl RunningCall {
    /// Creates the handle of a model call whose start is recorded. `now` must be the clock of the log.
    pub(crate) const fn new(bus: Bus<Engine>, call: Call, now: fn() -> Timestamp) -> Self {
        Self { bus, call: Some(call), now, first_byte_at: None }
    }

    /// Sets the time of the first response byte to the current time; does nothing if it is already set.
    pub(crate) fn mark_first_byte(&mut self) {
        if self.first_byte_at.is_none() {
            self.first_byte_at = Some((self.now)());
        }
    }

    /// Records the model call as completed, with usage, stop reason and tool calls. The engine also ends the turn,
    /// unless the model waits for tool results. Does not wait until the events are durable.
    pub(crate) fn complete(mut self, summary: ResponseSummary) {
        let Some(call) = self.call.take() else { return };
        let (began_at, at) = (self.first_byte_at, (self.now)());
        self.bus.notify(move |engine| engine.record_response(&call, &summary, began_at, at));
    }

    /// Returns the recorded start of the call without recording an outcome, for a failure before the first response
    /// byte. `None` if an outcome was already recorded.
    pub(crate) fn into_call(mut self) -> Option<Call> {
        self.call.take()
    }

    /// Records that the call failed after the first response byte, with the usage so far, and ends its turn as failed.
    pub(crate) fn fail(mut self, class: ErrorClass, summary: &ResponseSummary) {
        self.record_failure(class, TurnStatus::Failed, summary.usage, summary.raw_usage.clone());
    }

    /// Records that the client has disconnected, with the usage so far, and ends the turn of the call as cancelled.
    pub(crate) fn cancel(mut self, summary: &ResponseSummary) {
        self.record_failure(ErrorClass::Cancelled, TurnStatus::Cancelled, summary.usage, summary.raw_usage.clone());
    }

    /// Records the model call as failed with an error `class` and the usage so far, and ends its turn with `status`.
    /// Does nothing if an outcome was already recorded.
    fn record_failure(
        &mut self,
        class: ErrorClass,
        status: TurnStatus,
        usage: Option<Usage>,
        raw_usage: Option<String>,
    ) {
        let Some(call) = self.call.take() else { return };
        let failure = CallFailure { class, status: None, retries: 0, usage, raw_usage, key: None };
        self.bus.notify(move |engine| {
            engine.record_call_failure(&call, &failure)?;
            engine.end_turn(&call.session, call.turn, status)
        });
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.record_failure(ErrorClass::Cancelled, TurnStatus::Cancelled, None, None);
    }
}
