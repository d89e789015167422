//! A call that runs: whatever becomes of it, it is recorded once.

use contracts::{
    Usage,
    events::{ErrorClass, TurnStatus},
};
use engine::{CallAnswer, CallFailure, Engine, Sent, ToolRequest};
use event_core::Timestamp;
use wire::Seen;

use event_bus::Bus;

/// A call that runs. Dropped before anything is known of it, it was cancelled.
#[derive(Debug)]
pub(crate) struct RunningCall {
    bus: Bus<Engine>,
    sent: Option<Sent>,
    /// The clock of the log.
    now: fn() -> Timestamp,
    began: Option<Timestamp>,
}

impl RunningCall {
    pub(crate) const fn new(bus: Bus<Engine>, sent: Sent, now: fn() -> Timestamp) -> Self {
        Self { bus, sent: Some(sent), now, began: None }
    }

    /// The first byte of the answer is here.
    pub(crate) fn began(&mut self) {
        if self.began.is_none() {
            self.began = Some((self.now)());
        }
    }

    /// The answer is whole.
    pub(crate) fn answered(mut self, seen: Seen) {
        let Some(sent) = self.sent.take() else { return };
        let answer = self.answer(seen);
        self.bus.notify(move |engine| engine.call_answered(&sent, &answer));
    }

    /// The call failed before its answer began, and whoever asks records it.
    pub(crate) fn into_sent(mut self) -> Option<Sent> {
        self.sent.take()
    }

    /// The call failed in the middle of its answer: the turn is over.
    pub(crate) fn failed_late(mut self, class: ErrorClass, seen: &Seen) {
        self.give_up(class, TurnStatus::Failed, seen.usage, seen.raw_usage.clone());
    }

    /// The client has gone.
    pub(crate) fn cancelled(mut self, seen: &Seen) {
        self.give_up(ErrorClass::Cancelled, TurnStatus::Cancelled, seen.usage, seen.raw_usage.clone());
    }

    /// The turn is over; what the call had used by then is billed.
    fn give_up(&mut self, class: ErrorClass, status: TurnStatus, usage: Option<Usage>, raw_usage: Option<String>) {
        let Some(sent) = self.sent.take() else { return };
        let failure = CallFailure { class, status: None, retries: 0, usage, raw_usage };
        self.bus.notify(move |engine| {
            engine.call_failed(&sent, failure)?;
            engine.end(&sent.call.session, sent.call.turn, status)
        });
    }

    fn answer(&self, seen: Seen) -> CallAnswer {
        let tools = seen.tool_calls.into_iter();
        CallAnswer {
            usage: seen.usage,
            raw_usage: seen.raw_usage,
            stop_reason: seen.stop_reason,
            tools: tools.map(|tool| ToolRequest { id: tool.id, name: tool.name, arguments: tool.arguments }).collect(),
            thinking_blocks: seen.thinking_blocks,
            began_at: self.began,
            at: (self.now)(),
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.give_up(ErrorClass::Cancelled, TurnStatus::Cancelled, None, None);
    }
}
