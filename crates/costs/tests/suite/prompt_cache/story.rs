//! A session built from events.

use contracts::{
    CacheVariant, SessionId, Thread, TurnId, Usage,
    events::{
        CompactionTrigger, LlmCallCompleted, SessionCompacted, SessionResumed, TurnEnded, TurnStarted, TurnStatus,
    },
};
use costs::prompt_cache::{Call, CallTracker};
use event_core::{EventId, Timestamp};

use crate::{log::record, prompt_cache::table::model};

pub(crate) fn turn(name: &str) -> TurnId {
    TurnId(EventId::derive(&[name.as_bytes()]))
}

fn thread(name: Option<&str>) -> Thread {
    name.map_or(Thread::Main, crate::log::sub_agent)
}

/// A session whose events are folded into calls.
#[derive(Default)]
pub(crate) struct Story {
    pub(crate) fold: CallTracker,
    events: u64,
}

impl Story {
    pub(crate) fn session() -> SessionId {
        SessionId::try_from("one").unwrap()
    }

    fn tell<F: event_core::EventType>(&mut self, seconds: u64, event: &F) -> Option<Call> {
        self.events += 1;
        self.fold.advance(&record(self.events, Timestamp::from_secs(seconds), event)).unwrap()
    }

    pub(crate) fn started(&mut self, seconds: u64, name: &str, message_bytes: u64) {
        self.started_by(seconds, name, None, message_bytes);
    }

    pub(crate) fn started_by(&mut self, seconds: u64, name: &str, of: Option<&str>, message_bytes: u64) {
        let session = Self::session();
        let event =
            TurnStarted { turn: turn(name), session, thread: thread(of), message_bytes, ..TurnStarted::sample() };
        assert_eq!(self.tell(seconds, &event), None);
    }

    pub(crate) fn ended(&mut self, seconds: u64, name: &str, status: TurnStatus, llm_calls: u32) {
        let event = TurnEnded { turn: turn(name), session: Self::session(), status, llm_calls, tool_calls: 0 };
        assert_eq!(self.tell(seconds, &event), None);
    }

    pub(crate) fn compacted(&mut self, seconds: u64, of: Option<&str>) {
        let trigger = CompactionTrigger::Manual;
        let event = SessionCompacted { session: Self::session(), thread: thread(of), trigger, tokens_before: None };
        assert_eq!(self.tell(seconds, &event), None);
    }

    pub(crate) fn resumed(&mut self, seconds: u64) {
        assert_eq!(self.tell(seconds, &SessionResumed { session: Self::session() }), None);
    }

    /// A call with `tools` tool calls.
    pub(crate) fn answered(&mut self, seconds: u64, name: &str, tool_calls: u32) -> Call {
        self.answered_as(seconds, &LlmCallCompleted { tool_calls, ..answer(name) })
    }

    pub(crate) fn answered_as(&mut self, seconds: u64, event: &LlmCallCompleted) -> Call {
        self.tell(seconds, event).unwrap()
    }
}

/// Creates a response in the main conversation that read 20,000 tokens, without further details.
pub(crate) fn answer(name: &str) -> LlmCallCompleted {
    LlmCallCompleted {
        turn: turn(name),
        session: Story::session(),
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

/// Creates a response of a sub-agent.
pub(crate) fn answer_of(name: &str, of: &str) -> LlmCallCompleted {
    LlmCallCompleted { thread: thread(Some(of)), ..answer(name) }
}

/// A call that writes these numbers of tokens to the prompt cache.
pub(crate) fn wrote(cache_write_5m: u64, cache_write_1h: u64) -> LlmCallCompleted {
    let usage = Usage { cache_write_5m, cache_write_1h, ..Usage::default() };
    LlmCallCompleted { usage, ..answer("a") }
}
