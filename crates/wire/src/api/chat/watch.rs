//! Extracts the recorded properties of chat completions: model, usage, tool calls, stop reason, errors.

use contracts::events::StopReason;

use crate::json::Value;
use crate::watch::{parse_members, summary_builder::SummaryBuilder};

/// Adds a chunk of a stream, or a non-streaming chat completion, to the response summary. Returns its error object;
/// `None` if it has none, or is not a JSON object. Servers send the usage in a chunk of its own or in the last chunk
/// with a choice.
pub(crate) fn inspect_chunk<'a>(summary: &mut SummaryBuilder, text: &'a str) -> Option<Value<'a>> {
    let [model, usage, choices, error] = parse_members(text, ["model", "usage", "choices", "error"])?;
    summary.set_model(model);
    summary.set_usage(usage);
    for choice in choices.iter().flat_map(Value::elements) {
        let [index, delta, message, reason] = choice.get_many(["index", "delta", "message", "finish_reason"]);
        if let Some(delta) = message.or(delta) {
            // Each choice numbers its calls from 0.
            let choice_index = index.and_then(|index| index.as_u64()).unwrap_or(0);
            add_delta(summary, choice_index.saturating_mul(1 << 32), &delta, message.is_some());
        }
        set_stop_reason(summary, reason);
    }
    error
}

/// Adds the content of a choice of a chat completion to the response summary. `delta` is the delta of a chunk, or, if
/// `is_complete` is set, the message of a response that is not streamed. The numbers of its tool calls start at
/// `first_number`.
fn add_delta(summary: &mut SummaryBuilder, first_number: u64, delta: &Value<'_>, is_complete: bool) {
    let [content, thinking, reasoning, refusal, calls] =
        delta.get_many(["content", "reasoning_content", "reasoning", "refusal", "tool_calls"]);
    summary.add_text(true, thinking.filter(|thinking| !thinking.is_falsy()).or(reasoning));
    summary.add_text(false, content);
    summary.add_output(refusal);
    for (position, call) in (0..).zip(calls.iter().flat_map(Value::elements)) {
        let [index, id, function, custom] = call.get_many(["index", "id", "function", "custom"]);
        let index = index.and_then(|index| index.as_u64()).unwrap_or(position);
        let number = first_number.saturating_add(index);
        let [name, arguments, input] =
            function.or(custom).map_or([None; 3], |function| function.get_many(["name", "arguments", "input"]));
        summary.start_call(number, id, name);
        if is_complete {
            summary.add_output(arguments.or(input));
            summary.set_arguments(number, arguments.or(input));
        } else {
            summary.append_arguments(number, arguments.or(input));
        }
    }
}

/// Sets the stop reason of the response summary from the `finish_reason` of a chat completion, and marks the response
/// as complete; does nothing if the reason is missing or `null`.
fn set_stop_reason(summary: &mut SummaryBuilder, reason: Option<Value<'_>>) {
    let Some(reason) = reason.and_then(|reason| reason.string()) else { return };
    // Some servers send nothing after it, not even `[DONE]`.
    summary.complete = true;
    summary.stop_reason = Some(match reason.as_ref() {
        "stop" | "eos" => StopReason::EndTurn,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "length" => StopReason::MaxTokens,
        "content_filter" => StopReason::Refusal,
        _ => StopReason::Unknown,
    });
}
