//! Inspects responses of `OpenAI`'s Responses.

use contracts::{
    WireApi,
    events::{ErrorClass, StopReason},
};

use crate::watch::{picked, tally::Tally};
use crate::{errors::classify, json::Value};

/// Reads the data of one SSE event and returns the error in it.
pub(crate) fn event<'a>(tally: &mut Tally, text: &'a str) -> Option<Value<'a>> {
    let names = ["type", "output_index", "item", "delta", "response", "code", "error"];
    let [kind, index, item, delta, inside, code, error] = picked(text, names)?;
    let number = index.and_then(|index| index.whole()).unwrap_or(0);
    match kind.and_then(|kind| kind.string()).as_deref() {
        Some("response.created") => tally.model(inside.and_then(|inside| inside.get("model"))),
        Some("response.output_item.added") => {
            if let Some(item) = item {
                self::item(tally, number, &item, true);
            }
        }
        Some("response.output_item.done") => {
            if let Some(item) = item {
                self::item(tally, number, &item, false);
            }
        }
        Some("response.function_call_arguments.delta" | "response.custom_tool_call_input.delta") => {
            tally.arguments(number, delta);
        }
        Some(
            "response.output_text.delta"
            | "response.refusal.delta"
            | "response.reasoning_text.delta"
            | "response.reasoning_summary_text.delta",
        ) => tally.written(delta),
        Some("response.completed" | "response.incomplete" | "response.failed" | "response.done") => {
            if let Some(inside) = inside {
                end(tally, inside.pick(ENDS));
            }
        }
        // Its code stands beside its type, or in an object.
        Some("error") if error.is_none() => {
            tally.error = Some(class_of(&format!(r#"{{"code":{}}}"#, code.map_or("null", |code| code.raw))));
        }
        _ => {}
    }
    error
}

/// Reads a response that is not streamed and returns the error in it.
pub(crate) fn response<'a>(tally: &mut Tally, text: &'a str) -> Option<Value<'a>> {
    let [model, usage, status, details, error, output] =
        picked(text, [ENDS[0], ENDS[1], ENDS[2], ENDS[3], ENDS[4], "output"])?;
    for (number, item) in (0..).zip(output.iter().flat_map(Value::elements)) {
        self::item(tally, number, &item, true);
        let [arguments, input, content, summary] = item.pick(["arguments", "input", "content", "summary"]);
        tally.written(arguments.or(input));
        for part in content.iter().chain(&summary).flat_map(Value::elements) {
            let [text, refusal] = part.pick(["text", "refusal"]);
            tally.written(text.or(refusal));
        }
    }
    end(tally, [model, usage, status, details, error]);
    error
}

/// Reads an item; `begins` is false for the event that only completes it.
fn item(tally: &mut Tally, number: u64, item: &Value<'_>, begins: bool) {
    let [kind, call, name, arguments, input] = item.pick(["type", "call_id", "name", "arguments", "input"]);
    match kind.and_then(|kind| kind.string()).as_deref() {
        Some("reasoning") => tally.thinking_blocks += u32::from(begins),
        Some("function_call" | "custom_tool_call") => {
            tally.call(number, call, name);
            tally.all_arguments(number, arguments.or(input));
        }
        _ => {}
    }
}

/// The members that are read from a finished response.
const ENDS: [&str; 5] = ["model", "usage", "status", "incomplete_details", "error"];

/// Reads a finished response, given its members [`ENDS`].
fn end(tally: &mut Tally, [model, usage, status, details, error]: [Option<Value<'_>>; 5]) {
    tally.model(model);
    tally.account(usage);
    let reason = details.and_then(|details| details.get("reason")).and_then(|reason| reason.string());
    match (status.and_then(|status| status.string()).as_deref(), reason.as_deref()) {
        (Some("completed"), _) => tally.stop = Some(StopReason::EndTurn),
        (Some("incomplete"), Some("content_filter")) => tally.stop = Some(StopReason::Refusal),
        (Some("incomplete"), _) => tally.stop = Some(StopReason::MaxTokens),
        (Some("failed"), _) => {
            tally.error = tally.error.or_else(|| Some(class_of(error.map_or("null", |error| error.raw))));
        }
        // It goes on, or was never an answer.
        _ => return,
    }
    tally.complete = true;
}

/// Returns the class of an error object.
fn class_of(error: &str) -> ErrorClass {
    classify(WireApi::OpenAiResponses, 0, format!(r#"{{"error":{error}}}"#).as_bytes())
}
