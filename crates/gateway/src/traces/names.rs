//! Names of spans and attributes, from OpenTelemetry's semantic conventions for generative AI.
//!
//! Source: open-telemetry/semantic-conventions-genai, November 2026, status "development".

use contracts::events::{StopReason, TurnStatus};

pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const CHAT: &str = "chat";
pub(super) const INVOKE_AGENT: &str = "invoke_agent";
pub(super) const EXECUTE_TOOL: &str = "execute_tool";

pub(super) const AGENT_NAME: &str = "gen_ai.agent.name";
pub(super) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(super) const PROVIDER: &str = "gen_ai.provider.name";
pub(super) const REQUEST_MODEL: &str = "gen_ai.request.model";
pub(super) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
/// All tokens of the prompt, including those read from or written to a cache.
pub(super) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(super) const CACHE_READ_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
/// Named `cache_creation` in the conventions before 2026.
pub(super) const CACHE_WRITE_TOKENS: &str = "gen_ai.usage.cache_write.input_tokens";
pub(super) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(super) const TOOL_NAME: &str = "gen_ai.tool.name";
pub(super) const TOOL_CALL: &str = "gen_ai.tool.call.id";
pub(super) const ERROR: &str = "error.type";
pub(super) const HTTP_STATUS: &str = "http.response.status_code";

// Attributes that the conventions do not define.
pub(super) const TURN: &str = "turnwise.turn.id";
pub(super) const THREAD: &str = "turnwise.thread";
pub(super) const SUBAGENT: &str = "turnwise.subagent";
pub(super) const AUXILIARY_CALL: &str = "turnwise.auxiliary_call";
pub(super) const CLIENT_MODEL: &str = "turnwise.client_model";
pub(super) const MODEL: &str = "turnwise.model";
pub(super) const POLICY: &str = "turnwise.policy";
pub(super) const REASON: &str = "turnwise.reason";
pub(super) const RULE: &str = "turnwise.rule";
pub(super) const STATUS: &str = "turnwise.status";
pub(super) const ROLE: &str = "turnwise.role";
pub(super) const RETRIES: &str = "turnwise.retries";
pub(super) const COST: &str = "turnwise.cost_usd";
pub(super) const UNPRICED: &str = "turnwise.unpriced_calls";
pub(super) const FALLBACKS: &str = "turnwise.fallback";
pub(super) const FAILED_MODEL: &str = "turnwise.failed_model";
pub(super) const UNFINISHED: &str = "turnwise.unfinished";
pub(super) const SPANS_DROPPED: &str = "turnwise.spans_dropped";

/// The client name of `wire` for an unknown client.
pub(super) const UNKNOWN_CLIENT: &str = "other";

/// Returns the conventions' name of a provider; the same name if they do not define one.
pub(super) fn provider(name: &str) -> &str {
    match name {
        "google" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        other => other,
    }
}

/// Returns the conventions' name of a stop reason; `None` if the reason is unknown.
pub(super) const fn finish_reason(reason: StopReason) -> Option<&'static str> {
    match reason {
        StopReason::EndTurn | StopReason::StopSequence => Some("stop"),
        StopReason::ToolUse => Some("tool_call"),
        StopReason::MaxTokens => Some("length"),
        StopReason::Refusal => Some("content_filter"),
        StopReason::Unknown => None,
    }
}

/// Returns the value of the attribute `turnwise.status`.
pub(super) const fn status(status: TurnStatus) -> &'static str {
    match status {
        TurnStatus::Completed => "completed",
        TurnStatus::Cancelled => "cancelled",
        TurnStatus::Refused => "refused",
        TurnStatus::Failed => "failed",
    }
}
