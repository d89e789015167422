//! `OpenAI`'s chat completions: read and written.

mod read_answer;
mod read_calls;
mod read_message;
mod read_request;
mod write_answer;
mod write_message;
mod write_request;

pub(super) use read_answer::{AnswerReader, read_answer};
pub(super) use read_request::read_request;
pub(super) use write_answer::{AnswerWriter, write_answer};
pub(super) use write_request::write_request;

use super::canonical::answer::Stop;

fn stop_of(reason: &str) -> Stop {
    match reason {
        "tool_calls" | "function_call" => Stop::ToolUse,
        "length" => Stop::MaxTokens,
        "content_filter" => Stop::Refused,
        // `stop`, and what compatible servers say instead of it.
        _ => Stop::EndTurn,
    }
}

fn name_of(stop: &Stop) -> &'static str {
    match stop {
        Stop::EndTurn | Stop::Sequence(_) => "stop",
        Stop::ToolUse => "tool_calls",
        Stop::MaxTokens => "length",
        Stop::Refused => "content_filter",
    }
}
