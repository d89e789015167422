//! Earlier layouts of events about calls.

use serde::{Deserialize, Serialize};

use crate::{
    CacheVariant, ModelId, NanoUsd, SessionId, ThreadId, TurnId, Usage,
    events::{CallRole, ErrorClass, LlmCallCompleted, LlmCallFailed, StopReason, event, sample},
};

/// `llm.call_completed` as it was first: nothing said what a prompt cache would know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `LlmCallCompleted`")]
pub struct LlmCallCompletedV1 {
    pub turn: TurnId,
    pub session: SessionId,
    pub thread: Option<ThreadId>,
    pub model: ModelId,
    pub role: CallRole,
    pub usage: Usage,
    pub cost: Option<NanoUsd>,
    pub latency_ms: Option<u64>,
    pub stop_reason: StopReason,
    pub tool_calls: u32,
    pub thinking_blocks: u32,
    pub raw_usage: Option<String>,
}

impl From<LlmCallCompletedV1> for LlmCallCompleted {
    fn from(old: LlmCallCompletedV1) -> Self {
        Self {
            turn: old.turn,
            session: old.session,
            thread: old.thread,
            model: old.model,
            role: old.role,
            usage: old.usage,
            cost: old.cost,
            latency_ms: old.latency_ms,
            stop_reason: old.stop_reason,
            tool_calls: old.tool_calls,
            thinking_blocks: old.thinking_blocks,
            raw_usage: old.raw_usage,
            variant: CacheVariant::PLAIN,
            cache_lifetime: None,
            began_at: None,
        }
    }
}

event!(
    LlmCallCompletedV1,
    "llm.call_completed",
    1,
    Internal,
    "A model answered a call; the first layout, no longer written.",
    LlmCallCompletedV1 {
        turn: sample::turn(),
        session: sample::session(),
        thread: None,
        model: sample::model(),
        role: CallRole::Planner,
        usage: sample::usage(),
        cost: Some(NanoUsd(56_051_400)),
        latency_ms: Some(4_210),
        stop_reason: StopReason::ToolUse,
        tool_calls: 1,
        thinking_blocks: 1,
        raw_usage: Some(r#"{"input_tokens":3,"output_tokens":261}"#.to_owned()),
    }
);

/// `llm.call_failed` as it was first: whose call it was, and what it had used, was not said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `LlmCallFailed`")]
pub struct LlmCallFailedV1 {
    pub turn: TurnId,
    pub session: SessionId,
    pub model: ModelId,
    pub class: ErrorClass,
    pub status: Option<u16>,
    pub retries: u32,
}

impl From<LlmCallFailedV1> for LlmCallFailed {
    fn from(old: LlmCallFailedV1) -> Self {
        Self {
            turn: old.turn,
            session: old.session,
            thread: None,
            model: old.model,
            role: CallRole::Planner,
            class: old.class,
            status: old.status,
            retries: old.retries,
            usage: None,
            cost: None,
            raw_usage: None,
        }
    }
}

event!(
    LlmCallFailedV1,
    "llm.call_failed",
    1,
    Internal,
    "A call to a model failed; the first layout, no longer written.",
    LlmCallFailedV1 {
        turn: sample::turn(),
        session: sample::session(),
        model: sample::model(),
        class: ErrorClass::Overloaded,
        status: Some(529),
        retries: 2,
    }
);
