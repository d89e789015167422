//! A running call to a provider, whose outcome is recorded exactly once.

use contracts::{
    Usage,
    events::{ErrorClass, TurnStatus},
};
use engine::{Call, CallFailure, CallResponse, Engine, ToolRequest};
use event_bus::Bus;
use event_core::Timestamp;
use wire::ResponseSummary;

/// A running call to a provider. Dropping it without an outcome records the call and its turn as cancelled.
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
    /// Wraps a call whose start is recorded. `now` must be the clock of the log.
    pub(crate) const fn new(bus: Bus<Engine>, call: Call, now: fn() -> Timestamp) -> Self {
        Self { bus, call: Some(call), now, first_byte_at: None }
    }

    /// Sets the time of the first response byte to now; does nothing if it is set.
    pub(crate) fn mark_first_byte(&mut self) {
        if self.first_byte_at.is_none() {
            self.first_byte_at = Some((self.now)());
        }
    }

    /// Records the call as completed, with usage, stop reason and tool calls. The engine also ends the turn, unless the
    /// model waits for tool results. Does not wait until the events are durable.
    pub(crate) fn complete(mut self, summary: ResponseSummary) {
        let Some(call) = self.call.take() else { return };
        let answer = self.call_answer(summary);
        self.bus.notify(move |engine| engine.record_response(&call, &answer));
    }

    /// Returns the call without recording an outcome, for a failure before the first response byte. `None` if an
    /// outcome was recorded.
    pub(crate) fn into_call(mut self) -> Option<Call> {
        self.call.take()
    }

    /// Records a failure after the first response byte with the usage so far, and ends the turn as failed.
    pub(crate) fn fail(mut self, class: ErrorClass, summary: &ResponseSummary) {
        self.record_failure(class, TurnStatus::Failed, summary.usage, summary.raw_usage.clone());
    }

    /// Records that the client has disconnected, with the usage so far, and ends the turn as cancelled.
    pub(crate) fn cancel(mut self, summary: &ResponseSummary) {
        self.record_failure(ErrorClass::Cancelled, TurnStatus::Cancelled, summary.usage, summary.raw_usage.clone());
    }

    /// Records the call as failed with `class` and the usage so far, and ends the turn with `status`. Does nothing if
    /// an outcome was recorded.
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

    /// Converts the summary of a completed response, and adds the time of its first byte and the current time as its
    /// end.
    fn call_answer(&self, summary: ResponseSummary) -> CallResponse {
        let tools = summary.tool_calls.into_iter();
        CallResponse {
            usage: summary.usage,
            raw_usage: summary.raw_usage,
            stop_reason: summary.stop_reason,
            tools: tools.map(|tool| ToolRequest { id: tool.id, name: tool.name, arguments: tool.arguments }).collect(),
            thinking_blocks: summary.thinking_blocks,
            began_at: self.first_byte_at,
            at: (self.now)(),
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.record_failure(ErrorClass::Cancelled, TurnStatus::Cancelled, None, None);
    }
}
