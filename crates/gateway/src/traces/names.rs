//! Names of spans and attributes, from OpenTelemetry's semantic conventions for generative AI.
//!
//! Source: open-telemetry/semantic-conventions-genai, November 2026, status "development".

use contracts::events::{StopReason, TurnStatus};

/// The attribute with the kind of an operation: one of the three constants below.
pub(super) const OPERATION: &str = "gen_ai.operation.name";
/// The operation of a model call.
pub(super) const CHAT: &str = "chat";
/// The operation of a turn.
pub(super) const INVOKE_AGENT: &str = "invoke_agent";
/// The operation of a tool call.
pub(super) const EXECUTE_TOOL: &str = "execute_tool";

/// The name of the client.
pub(super) const AGENT_NAME: &str = "gen_ai.agent.name";
/// The id of the session.
pub(super) const CONVERSATION: &str = "gen_ai.conversation.id";
/// The provider of the model, by its name in the conventions.
pub(super) const PROVIDER: &str = "gen_ai.provider.name";
/// The name of the model without its provider.
pub(super) const REQUEST_MODEL: &str = "gen_ai.request.model";
/// The stop reason of a response, as an array.
pub(super) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
/// The tokens of the prompt, including those read from or written to a cache.
pub(super) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
/// The tokens of the prompt that were read from a cache; omitted if zero.
pub(super) const CACHE_READ_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
/// The tokens of the prompt that were written to a cache; omitted if zero. Named `cache_creation` in the conventions
/// before 2026.
pub(super) const CACHE_WRITE_TOKENS: &str = "gen_ai.usage.cache_write.input_tokens";
/// The tokens of the response.
pub(super) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
/// The name of the tool.
pub(super) const TOOL_NAME: &str = "gen_ai.tool.name";
/// The client's id of the tool call.
pub(super) const TOOL_CALL: &str = "gen_ai.tool.call.id";
/// The class of the error that ended an operation; omitted without one.
pub(super) const ERROR: &str = "error.type";
/// The HTTP status of a failed call; omitted without a response.
pub(super) const HTTP_STATUS: &str = "http.response.status_code";

// Attributes that the conventions do not define.
/// The id of the turn.
pub(super) const TURN: &str = "turnwise.turn.id";
/// The thread of the turn within its session; omitted for the main thread.
pub(super) const THREAD: &str = "turnwise.thread";
/// `true` for the turn of a sub-agent; omitted otherwise.
pub(super) const SUBAGENT: &str = "turnwise.subagent";
/// The kind of an auxiliary call of the client; omitted for other turns.
pub(super) const AUXILIARY_CALL: &str = "turnwise.auxiliary_call";
/// The model that the client requested.
pub(super) const CLIENT_MODEL: &str = "turnwise.client_model";
/// The id of the model that the decision chose.
pub(super) const MODEL: &str = "turnwise.model";
/// The slot of the chain that decided.
pub(super) const POLICY: &str = "turnwise.policy";
/// The reason of the decision, on one line.
pub(super) const REASON: &str = "turnwise.reason";
/// The name of the rule that decided; omitted if another slot did.
pub(super) const RULE: &str = "turnwise.rule";
/// The outcome of a turn, or `cancelled` for a call.
pub(super) const STATUS: &str = "turnwise.status";
/// The role of a call's thread.
pub(super) const ROLE: &str = "turnwise.role";
/// The number of retries of a failed call; omitted if zero.
pub(super) const RETRIES: &str = "turnwise.retries";
/// The cost in dollars; omitted if no price is known.
pub(super) const COST: &str = "turnwise.cost_usd";
/// The number of calls in a turn without a known price; omitted if zero.
pub(super) const UNPRICED: &str = "turnwise.unpriced_calls";
/// The number of fallbacks in a turn; omitted if zero.
pub(super) const FALLBACKS: &str = "turnwise.fallback";
/// The model whose failure caused a fallback.
pub(super) const FAILED_MODEL: &str = "turnwise.failed_model";
/// `true` if the turn ended before the operation had an outcome; omitted otherwise.
pub(super) const UNFINISHED: &str = "turnwise.unfinished";
/// The number of spans of a turn beyond the limit, which are not exported; omitted if zero.
pub(super) const SPANS_DROPPED: &str = "turnwise.spans_dropped";

/// The name of a client that the crate `client-formats` does not recognise; the client is then omitted.
pub(super) const UNKNOWN_CLIENT: &str = "other";

/// Returns the name of a provider in OpenTelemetry's conventions; `name` itself if they do not define one.
pub(super) fn provider(name: &str) -> &str {
    match name {
        "google" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        other => other,
    }
}

/// Returns the name of a stop reason in OpenTelemetry's conventions; `None` if the reason is unknown.
pub(super) const fn finish_reason(reason: StopReason) -> Option<&'static str> {
    match reason {
        StopReason::EndTurn | StopReason::StopSequence => Some("stop"),
        StopReason::ToolUse => Some("tool_call"),
        StopReason::MaxTokens => Some("length"),
        StopReason::Refusal => Some("content_filter"),
        StopReason::Unknown => None,
    }
}

/// Returns the value of the attribute `turnwise.status` for a turn.
pub(super) const fn status(status: TurnStatus) -> &'static str {
    match status {
        TurnStatus::Completed => "completed",
        TurnStatus::Cancelled => "cancelled",
        TurnStatus::Refused => "refused",
        TurnStatus::Failed => "failed",
    }
}
