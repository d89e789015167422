//! Events about calls to models.

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{CacheLifetime, CacheVariant, ModelId, NanoUsd, SessionId, ThreadId, TurnId, Usage};

/// Whose work a call was (004 §6.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallRole {
    /// The main line of the session.
    Planner,
    /// A sub-agent or worker.
    Worker,
    /// Something beside the work, such as a title.
    Side,
}

impl CallRole {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::Worker => "worker",
            Self::Side => "side",
        }
    }
}

/// A call was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmCallStarted {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// The model called.
    pub model: ModelId,
    /// Whose work it is.
    pub role: CallRole,
    /// Expected tokens of the prompt.
    pub estimated_input: u64,
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
        model: sample::model(),
        role: CallRole::Planner,
        estimated_input: 18_338,
    }
);

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It was done.
    EndTurn,
    /// It wants a tool.
    ToolUse,
    /// It reached the most it may write.
    MaxTokens,
    /// It wrote a stop sequence.
    StopSequence,
    /// It declined.
    Refusal,
    /// The source does not say.
    Unknown,
}

/// A call was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmCallCompleted {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// The sub-agent at work.
    pub thread: Option<ThreadId>,
    /// The model that answered.
    pub model: ModelId,
    /// Whose work it was.
    pub role: CallRole,
    /// What it used.
    pub usage: Usage,
    /// What it cost; `None` when the model's prices are not known.
    pub cost: Option<NanoUsd>,
    /// Milliseconds from the request to the end of the answer, when known.
    pub latency_ms: Option<u64>,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// Tools it asked for.
    pub tool_calls: u32,
    /// Blocks of thinking.
    pub thinking_blocks: u32,
    /// The provider's own account of the usage, as JSON, from which the numbers above were derived.
    pub raw_usage: Option<String>,
    /// What of the request, beside its messages, decides whether the prompt cache knows them.
    pub variant: CacheVariant,
    /// How long the client asked the provider to keep the prompt; `None` when it is only known from `usage`.
    pub cache_lifetime: Option<CacheLifetime>,
    /// When the answer began, when known: from then on others can read the prompt it wrote to the cache.
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
        variant: CacheVariant::COMMAND,
        cache_lifetime: Some(CacheLifetime::OneHour),
        began_at: Some(Timestamp(1_778_284_797_350_000)),
    }
);

/// What went wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// Too many requests.
    RateLimit,
    /// The provider is short of capacity.
    Overloaded,
    /// The provider failed.
    ServerError,
    /// No connection: name resolution, TLS, reset.
    Network,
    /// No answer in time.
    Timeout,
    /// The provider does not know the model.
    ModelNotFound,
    /// The key was refused.
    Auth,
    /// The user stopped it.
    Cancelled,
    /// The request was malformed.
    InvalidRequest,
    /// The prompt was too long.
    ContextOverflow,
    /// The answer was withheld.
    ContentFilter,
    /// Anything else.
    Other,
    /// A key that the client brought itself was refused.
    ClientKey,
}

impl ErrorClass {
    /// Its name in answers and tables.
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
        }
    }

    /// Whether it says something about the provider rather than about the request (decision D5).
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
        )
    }
}

/// A call failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmCallFailed {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// The sub-agent at work.
    pub thread: Option<ThreadId>,
    /// The model called.
    pub model: ModelId,
    /// Whose work it was.
    pub role: CallRole,
    /// What went wrong.
    pub class: ErrorClass,
    /// The provider's status code, when it gave one.
    pub status: Option<u16>,
    /// How often it was tried again inside the call.
    pub retries: u32,
    /// What it had used when it was cancelled or broke off, as far as the provider had said: it bills that. `None` when
    /// no answer had begun, or nothing was said.
    pub usage: Option<Usage>,
    /// What that cost; `None` without `usage`, or when the model's prices are not known.
    pub cost: Option<NanoUsd>,
    /// The provider's own account of the usage, as JSON, from which `usage` was derived.
    pub raw_usage: Option<String>,
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
        thread: None,
        model: sample::model(),
        role: CallRole::Planner,
        class: ErrorClass::Overloaded,
        status: Some(529),
        retries: 2,
        usage: Some(Usage { output: 7, ..sample::usage() }),
        cost: Some(NanoUsd(52_241_400)),
        raw_usage: Some(r#"{"input_tokens":3,"output_tokens":7}"#.to_owned()),
    }
);
