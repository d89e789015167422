//! Extracts the recorded properties of Messages responses: model, usage, tool calls, stop reason, errors.

use contracts::events::StopReason;

use crate::json::Value;
use crate::watch::{parse_members, summary_builder::SummaryBuilder};

/// Adds the data of one event of a streamed Messages response to the response summary. Returns its error object; `None`
/// if it has none, or is not a JSON object.
pub(crate) fn inspect_event<'a>(summary: &mut SummaryBuilder, text: &'a str) -> Option<Value<'a>> {
    let names = ["type", "message", "index", "content_block", "delta", "usage", "error"];
    let [kind, message, index, block, delta, usage, error] = parse_members(text, names)?;
    let number = index.and_then(|index| index.as_u64()).unwrap_or(0);
    match kind.and_then(|kind| kind.string()).as_deref() {
        Some("message_start") => {
            let [model, usage] = message.map_or([None; 2], |message| message.get_many(["model", "usage"]));
            summary.set_model(model);
            summary.set_usage(usage);
        }
        Some("content_block_start") => {
            if let Some(block) = block {
                add_block(summary, number, &block, false);
            }
        }
        Some("content_block_delta") => {
            let names = ["text", "thinking", "partial_json"];
            let [text, thinking, arguments] = delta.map_or([None; 3], |delta| delta.get_many(names));
            summary.add_output(text);
            summary.add_output(thinking);
            if arguments.is_some() {
                summary.append_block_arguments(number, arguments);
            }
        }
        Some("message_delta") => {
            set_stop_reason(summary, delta.and_then(|delta| delta.get("stop_reason")));
            summary.merge_usage(usage);
        }
        Some("message_stop") => summary.complete = true,
        _ => {}
    }
    error
}

/// Adds a non-streaming Messages response to the response summary. Returns its error object; `None` if it has none, or
/// is not a JSON object.
pub(crate) fn inspect_message<'a>(summary: &mut SummaryBuilder, text: &'a str) -> Option<Value<'a>> {
    let names = ["model", "usage", "stop_reason", "content", "error"];
    let [model, usage, reason, content, error] = parse_members(text, names)?;
    summary.set_model(model);
    summary.set_usage(usage);
    set_stop_reason(summary, reason);
    for (number, block) in (0..).zip(content.iter().flat_map(Value::elements)) {
        add_block(summary, number, &block, true);
        let [text, thinking] = block.get_many(["text", "thinking"]);
        summary.add_output(text);
        summary.add_output(thinking);
    }
    summary.complete |= content.is_some() && reason.is_some_and(|reason| !reason.is_null());
    error
}

/// Adds a content block of a Messages response to the response summary: counts a thinking block, or starts a tool call.
/// `number` is the index of the block. `is_complete` is false for the start of a block in a stream, whose input follows
/// in deltas.
fn add_block(summary: &mut SummaryBuilder, number: u64, block: &Value<'_>, is_complete: bool) {
    let [kind, id, name, input] = block.get_many(["type", "id", "name", "input"]);
    match kind.and_then(|kind| kind.string()).as_deref() {
        Some("thinking" | "redacted_thinking") => summary.thinking_blocks += 1,
        Some("tool_use") => {
            summary.start_call(number, id, name);
            // In a stream the input is empty at first, and deltas follow.
            summary.set_arguments(number, input.filter(|input| is_complete || !input.is_falsy()));
            summary.add_output_bytes(input.filter(|_| is_complete).map_or(0, |input| input.raw.len()));
        }
        _ => {}
    }
}

/// Sets the stop reason of the response summary from the `stop_reason` of a Messages response; does nothing if it is
/// missing or `null`.
fn set_stop_reason(summary: &mut SummaryBuilder, reason: Option<Value<'_>>) {
    let Some(reason) = reason.and_then(|reason| reason.string()) else { return };
    summary.stop_reason = Some(match reason.as_ref() {
        "end_turn" | "pause_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "refusal" => StopReason::Refusal,
        _ => StopReason::Unknown,
    });
}
