//! Builds the events of a session step by step, and folds them into calls.

use contracts::{
    CacheVariant, SessionId, Thread, TurnId, Usage,
    events::{
        CompactionTrigger, LlmCallCompleted, SessionCompacted, SessionResumed, TurnEnded, TurnStarted, TurnStatus,
    },
};
use costs::prompt_cache::{Call, CallTracker};
use event_core::{EventId, Timestamp};
use test_events::recorded;

use crate::prompt_cache::table::model;

/// Returns the id of a turn.
pub(crate) fn turn(name: &str) -> TurnId {
    TurnId(EventId::derive(&[name.as_bytes()]))
}

/// Returns the thread of a sub-agent; the main thread for `None`.
fn thread(name: Option<&str>) -> Thread {
    name.map_or(Thread::Main, crate::log::sub_agent)
}

/// A session whose events are folded into calls.
#[derive(Default)]
pub(crate) struct EventScript {
    /// The tracker that folds the events.
    pub(crate) fold: CallTracker,
    /// Number of events so far.
    events: u64,
}

impl EventScript {
    /// Returns the id of the session.
    pub(crate) fn session() -> SessionId {
        SessionId::try_from("one").unwrap()
    }

    /// Folds an event at a second, and returns the call that it completes.
    fn tell<F: event_core::EventType>(&mut self, seconds: u64, event: &F) -> Option<Call> {
        self.events += 1;
        self.fold.advance(&recorded(self.events, Timestamp::from_secs(seconds), event)).unwrap()
    }

    /// Records the start of a turn of the main thread.
    pub(crate) fn started(&mut self, seconds: u64, name: &str, message_bytes: u64) {
        self.started_by(seconds, name, None, message_bytes);
    }

    /// Records the start of a turn of the sub-agent `of`, or of the main thread for `None`.
    pub(crate) fn started_by(&mut self, seconds: u64, name: &str, of: Option<&str>, message_bytes: u64) {
        let session = Self::session();
        let event =
            TurnStarted { turn: turn(name), session, thread: thread(of), message_bytes, ..TurnStarted::sample() };
        assert_eq!(self.tell(seconds, &event), None);
    }

    /// Records the end of a turn.
    pub(crate) fn ended(&mut self, seconds: u64, name: &str, status: TurnStatus, llm_calls: u32) {
        let event = TurnEnded { turn: turn(name), session: Self::session(), status, llm_calls, tool_calls: 0 };
        assert_eq!(self.tell(seconds, &event), None);
    }

    /// Records a compaction of the thread of the sub-agent `of`, or of the main thread for `None`.
    pub(crate) fn compacted(&mut self, seconds: u64, of: Option<&str>) {
        let trigger = CompactionTrigger::Manual;
        let event = SessionCompacted { session: Self::session(), thread: thread(of), trigger, tokens_before: None };
        assert_eq!(self.tell(seconds, &event), None);
    }

    /// Records that the session was resumed.
    pub(crate) fn resumed(&mut self, seconds: u64) {
        assert_eq!(self.tell(seconds, &SessionResumed { session: Self::session() }), None);
    }

    /// Records a completed call of the main thread with `tool_calls` tool calls, and returns it as folded.
    pub(crate) fn answered(&mut self, seconds: u64, name: &str, tool_calls: u32) -> Call {
        self.answered_as(seconds, &LlmCallCompleted { tool_calls, ..answer(name) })
    }

    /// Records a completed call, and returns it as folded.
    pub(crate) fn answered_as(&mut self, seconds: u64, event: &LlmCallCompleted) -> Call {
        self.tell(seconds, event).unwrap()
    }
}

/// Creates a response in the main conversation that read 20,000 tokens, without further details.
pub(crate) fn answer(name: &str) -> LlmCallCompleted {
    LlmCallCompleted {
        turn: turn(name),
        session: EventScript::session(),
        thread: Thread::Main,
        model: model(super::table::SONNET),
        usage: Usage { cache_read: 20_000, ..Usage::default() },
        latency_ms: None,
        tool_calls: 0,
        thinking_blocks: 0,
        variant: CacheVariant::PLAIN,
        began_at: None,
        ..LlmCallCompleted::sample()
    }
}

/// Creates a response in turn `name` of the sub-agent `of`.
pub(crate) fn answer_of(name: &str, of: &str) -> LlmCallCompleted {
    LlmCallCompleted { thread: thread(Some(of)), ..answer(name) }
}

/// Creates a response of a call that wrote these numbers of tokens to the prompt cache.
pub(crate) fn wrote(cache_write_5m: u64, cache_write_1h: u64) -> LlmCallCompleted {
    let usage = Usage { cache_write_5m, cache_write_1h, ..Usage::default() };
    LlmCallCompleted { usage, ..answer("a") }
}
