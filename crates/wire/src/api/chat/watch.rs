//! Inspects responses of chat completions.

use contracts::events::StopReason;

use crate::json::Value;
use crate::watch::{picked, tally::Tally};

/// Reads a chunk of a stream, or a response that is not streamed, and returns the error in it. The usage may be in a
/// chunk of its own or in the last one with a choice.
pub(crate) fn chunk<'a>(tally: &mut Tally, text: &'a str) -> Option<Value<'a>> {
    let [model, usage, choices, error] = picked(text, ["model", "usage", "choices", "error"])?;
    tally.model(model);
    tally.account(usage);
    for choice in choices.iter().flat_map(Value::elements) {
        let [index, delta, message, reason] = choice.pick(["index", "delta", "message", "finish_reason"]);
        if let Some(said) = message.or(delta) {
            // Several answers number their calls each for itself.
            let answer = index.and_then(|index| index.whole()).unwrap_or(0);
            part(tally, answer.saturating_mul(1 << 32), &said, message.is_some());
        }
        stop(tally, reason);
    }
    error
}

fn part(tally: &mut Tally, base: u64, said: &Value<'_>, whole: bool) {
    let [content, thinking, reasoning, refusal, calls] =
        said.pick(["content", "reasoning_content", "reasoning", "refusal", "tool_calls"]);
    tally.thought_or_said(true, thinking.filter(|thinking| !thinking.is_nothing()).or(reasoning));
    tally.thought_or_said(false, content);
    tally.written(refusal);
    for (place, call) in (0..).zip(calls.iter().flat_map(Value::elements)) {
        let [index, id, function, custom] = call.pick(["index", "id", "function", "custom"]);
        let index = index.and_then(|index| index.whole()).unwrap_or(place);
        let number = base.saturating_add(index);
        let [name, arguments, input] =
            function.or(custom).map_or([None; 3], |function| function.pick(["name", "arguments", "input"]));
        tally.call(number, id, name);
        if whole {
            tally.written(arguments.or(input));
            tally.all_arguments(number, arguments.or(input));
        } else {
            tally.arguments(number, arguments.or(input));
        }
    }
}

fn stop(tally: &mut Tally, reason: Option<Value<'_>>) {
    let Some(reason) = reason.and_then(|reason| reason.string()) else { return };
    // Some servers say nothing after it, not even `[DONE]`.
    tally.complete = true;
    tally.stop = Some(match reason.as_ref() {
        "stop" | "eos" => StopReason::EndTurn,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "length" => StopReason::MaxTokens,
        "content_filter" => StopReason::Refusal,
        _ => StopReason::Unknown,
    });
}
