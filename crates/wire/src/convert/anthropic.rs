//! Anthropic's Messages: read and written.

mod read_answer;
mod read_content;
mod read_request;
mod write_answer;
mod write_request;

pub(super) use read_answer::{AnswerReader, read_answer};
pub(super) use read_request::read_request;
pub(super) use write_answer::{AnswerWriter, write_answer};
pub(super) use write_request::write_request;

use super::canonical::answer::Stop;

/// The first line of the system prompt by which Claude Code tells Anthropic who pays. It is nobody else's business, and
/// it differs between sessions, which would split the prompt caches of other providers.
const BILLING: &str = "x-anthropic-billing-header:";

fn stop_of(reason: &str, sequence: Option<&str>) -> Stop {
    match reason {
        "tool_use" => Stop::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => Stop::MaxTokens,
        "stop_sequence" => Stop::Sequence(sequence.map(str::to_owned)),
        "refusal" => Stop::Refused,
        // `end_turn`, and whatever else ends a turn.
        _ => Stop::EndTurn,
    }
}

fn name_of(stop: &Stop) -> &'static str {
    match stop {
        Stop::EndTurn | Stop::Sequence(None) => "end_turn",
        Stop::ToolUse => "tool_use",
        Stop::MaxTokens => "max_tokens",
        Stop::Sequence(Some(_)) => "stop_sequence",
        Stop::Refused => "refusal",
    }
}
