//! Events about calls to models.

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{CacheVariant, KeyId, ModelId, NanoUsd, Requirement, SessionId, Thread, ThreadId, TurnId, Usage};

/// Event: a call was sent to a model. `llm.call_completed` or `llm.call_failed` follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmCallStarted {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Thread of the turn.
    pub thread: Thread,
    /// Sub-agent that started this thread; `None` if the main thread did, or if it is unknown.
    pub parent: Option<ThreadId>,
    /// Model that the call was sent to.
    pub model: ModelId,
    /// Estimated tokens of the prompt, for the tokenizer of the model.
    pub estimated_input: u64,
    /// Estimated cost, which counts towards budgets until the call ends; `None` if the model has no known price.
    pub estimated_cost: Option<NanoUsd>,
    /// Features of the request that were dropped or converted because the model does not support them (decisions D31,
    /// D32).
    pub adapted: Vec<Requirement>,
}

event!(
    LlmCallStarted,
    "llm.call_started",
    1,
    Internal,
    "A call to a model was sent.",
    LlmCallStarted {
        turn: sample::turn(),
        session: sample::session(),
        thread: Thread::SubAgent(sample::name("agent-7c1e9d")),
        parent: Some(sample::name("agent-04a2b1")),
        model: sample::model(),
        estimated_input: 18_338,
        estimated_cost: Some(NanoUsd(116_690_000)),
        adapted: vec![Requirement::EarlierThinking, Requirement::Effort],
    }
);

/// Reason why a model ended its response, as reported by the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The response is complete.
    EndTurn,
    /// The model called a tool.
    ToolUse,
    /// The response reached its token limit.
    MaxTokens,
    /// The model generated a stop sequence.
    StopSequence,
    /// The model refused to respond.
    Refusal,
    /// The source does not report a reason.
    Unknown,
}

/// Event: a model completed its response to a call. Costs, availability and the prompt cache simulation fold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmCallCompleted {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Thread of the turn.
    pub thread: Thread,
    /// Model that responded.
    pub model: ModelId,
    /// Tokens that the call used.
    pub usage: Usage,
    /// Cost of the call; `None` if the prices of the model are unknown.
    pub cost: Option<NanoUsd>,
    /// Milliseconds from the request to the end of the response; `None` if unknown.
    pub latency_ms: Option<u64>,
    /// Reason why the response ended.
    pub stop_reason: StopReason,
    /// Number of tool calls in the response.
    pub tool_calls: u32,
    /// Number of thinking blocks in the response.
    pub thinking_blocks: u32,
    /// Usage object of the provider as JSON, from which `usage` was derived; `None` if there was none or it was too
    /// long.
    pub raw_usage: Option<String>,
    /// Settings outside the messages that a prompt must share to be read from the cache.
    pub variant: CacheVariant,
    /// Time at which the response began; `None` if unknown. From then on other calls can read the prompt from the
    /// cache.
    pub began_at: Option<Timestamp>,
}

event!(
    LlmCallCompleted,
    "llm.call_completed",
    1,
    Internal,
    "A model answered a call.",
    LlmCallCompleted {
        turn: sample::turn(),
        session: sample::session(),
        thread: Thread::Main,
        model: sample::model(),
        usage: sample::usage(),
        cost: Some(NanoUsd(56_051_400)),
        latency_ms: Some(4_210),
        stop_reason: StopReason::ToolUse,
        tool_calls: 1,
        thinking_blocks: 1,
        raw_usage: Some(r#"{"input_tokens":3,"output_tokens":261}"#.to_owned()),
        variant: CacheVariant::COMMAND,
        began_at: Some(Timestamp(1_778_284_797_350_000)),
    }
);

/// Class of the error with which a model call failed. [`ErrorClass::counts_against_provider`] separates outages of the
/// provider from errors of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The provider's rate limit was exceeded.
    RateLimit,
    /// The provider is overloaded.
    Overloaded,
    /// The provider reported an internal error.
    ServerError,
    /// The connection failed: name resolution, TLS, reset.
    Network,
    /// The response did not arrive before the timeout.
    Timeout,
    /// The provider does not know the model.
    ModelNotFound,
    /// The provider rejected the key of the user.
    Auth,
    /// The user or the client cancelled the call.
    Cancelled,
    /// The provider rejected the request as invalid.
    InvalidRequest,
    /// The prompt exceeds the context window.
    ContextOverflow,
    /// A content filter blocked the prompt or the response.
    ContentFilter,
    /// Any other error.
    Other,
    /// The provider rejected a key that the client had sent.
    ClientKey,
    /// The response does not follow the provider's API: another status than 200, 4xx and 5xx, no JSON, compressed, too
    /// large, or not what was requested.
    InvalidResponse,
}

impl ErrorClass {
    /// Returns the name of the error class in responses and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server_error",
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::ModelNotFound => "model_not_found",
            Self::Auth => "auth",
            Self::Cancelled => "cancelled",
            Self::InvalidRequest => "invalid_request",
            Self::ContextOverflow => "context_overflow",
            Self::ContentFilter => "content_filter",
            Self::Other => "other",
            Self::ClientKey => "client_key",
            Self::InvalidResponse => "invalid_response",
        }
    }

    /// Returns whether an error of this class indicates an outage of the provider, rather than a fault of the request
    /// (decision D5).
    pub const fn counts_against_provider(self) -> bool {
        matches!(
            self,
            Self::RateLimit
                | Self::Overloaded
                | Self::ServerError
                | Self::Network
                | Self::Timeout
                | Self::ModelNotFound
                | Self::Auth
                | Self::InvalidResponse
        )
    }
}

/// Event: a model call failed or was cancelled. Availability counts it if the provider caused the error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmCallFailed {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Thread of the turn.
    pub thread: Thread,
    /// Model that the call was sent to.
    pub model: ModelId,
    /// Class of the error.
    pub class: ErrorClass,
    /// HTTP status code of the provider's response; `None` if there was none.
    pub status: Option<u16>,
    /// Number of times that the same request was sent again within the call.
    pub retries: u32,
    /// Tokens that the provider had reported when the call ended; it bills them. `None` if no response had begun or
    /// none were reported.
    pub usage: Option<Usage>,
    /// Cost of `usage`; `None` without `usage`, or if the prices of the model are unknown.
    pub cost: Option<NanoUsd>,
    /// Usage object of the provider as JSON, from which `usage` was derived; `None` if there was none or it was too
    /// long.
    pub raw_usage: Option<String>,
    /// Configured key that the provider rejected (decision D37); `None` for other errors, for the key of a client, and
    /// for imported calls.
    pub key: Option<KeyId>,
}

event!(
    LlmCallFailed,
    "llm.call_failed",
    1,
    Internal,
    "A call to a model failed.",
    LlmCallFailed {
        turn: sample::turn(),
        session: sample::session(),
        thread: Thread::Main,
        model: sample::model(),
        class: ErrorClass::Overloaded,
        status: Some(529),
        retries: 2,
        usage: Some(Usage { output: 7, ..sample::usage() }),
        cost: Some(NanoUsd(52_241_400)),
        raw_usage: Some(r#"{"input_tokens":3,"output_tokens":7}"#.to_owned()),
        key: None,
    }
);
