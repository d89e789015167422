//! Inspects responses of Anthropic's Messages.

use contracts::events::StopReason;

use crate::json::Value;
use crate::watch::{picked, tally::Tally};

/// Reads the data of one SSE event and returns the error in it.
pub(crate) fn event<'a>(tally: &mut Tally, text: &'a str) -> Option<Value<'a>> {
    let names = ["type", "message", "index", "content_block", "delta", "usage", "error"];
    let [kind, message, index, block, delta, usage, error] = picked(text, names)?;
    let number = index.and_then(|index| index.whole()).unwrap_or(0);
    match kind.and_then(|kind| kind.string()).as_deref() {
        Some("message_start") => {
            let [model, usage] = message.map_or([None; 2], |message| message.pick(["model", "usage"]));
            tally.model(model);
            tally.account(usage);
        }
        Some("content_block_start") => {
            if let Some(block) = block {
                begin(tally, number, &block, false);
            }
        }
        Some("content_block_delta") => {
            let names = ["text", "thinking", "partial_json"];
            let [text, thinking, arguments] = delta.map_or([None; 3], |delta| delta.pick(names));
            tally.written(text);
            tally.written(thinking);
            if arguments.is_some() {
                tally.more_of_block(number, arguments);
            }
        }
        Some("message_delta") => {
            stop(tally, delta.and_then(|delta| delta.get("stop_reason")));
            tally.later_account(usage);
        }
        Some("message_stop") => tally.complete = true,
        _ => {}
    }
    error
}

/// Reads a response that is not streamed and returns the error in it.
pub(crate) fn message<'a>(tally: &mut Tally, text: &'a str) -> Option<Value<'a>> {
    let names = ["model", "usage", "stop_reason", "content", "error"];
    let [model, usage, reason, content, error] = picked(text, names)?;
    tally.model(model);
    tally.account(usage);
    stop(tally, reason);
    for (number, block) in (0..).zip(content.iter().flat_map(Value::elements)) {
        begin(tally, number, &block, true);
        let [text, thinking] = block.pick(["text", "thinking"]);
        tally.written(text);
        tally.written(thinking);
    }
    tally.complete |= content.is_some() && reason.is_some_and(|reason| !reason.is_null());
    error
}

fn begin(tally: &mut Tally, number: u64, block: &Value<'_>, whole: bool) {
    let [kind, id, name, input] = block.pick(["type", "id", "name", "input"]);
    match kind.and_then(|kind| kind.string()).as_deref() {
        Some("thinking" | "redacted_thinking") => tally.thinking_blocks += 1,
        Some("tool_use") => {
            tally.call(number, id, name);
            // In a stream it is empty, and the pieces follow.
            tally.all_arguments(number, input.filter(|input| whole || !input.is_nothing()));
            tally.written_bytes(input.filter(|_| whole).map_or(0, |input| input.raw.len()));
        }
        _ => {}
    }
}

fn stop(tally: &mut Tally, reason: Option<Value<'_>>) {
    let Some(reason) = reason.and_then(|reason| reason.string()) else { return };
    tally.stop = Some(match reason.as_ref() {
        "end_turn" | "pause_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "refusal" => StopReason::Refusal,
        _ => StopReason::Unknown,
    });
}
