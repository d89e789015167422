//! Extracts the recorded properties of responses of the Responses API: model, usage, tool calls, stop reason, errors.

use contracts::{
    WireApi,
    events::{ErrorClass, StopReason},
};

use crate::watch::{parse_members, summary_builder::SummaryBuilder};
use crate::{errors::classify, json::Value};

/// Adds the data of one event of a Responses stream to the response summary. Returns its error object; `None` if it has
/// none, or is not a JSON object.
pub(crate) fn inspect_event<'a>(summary: &mut SummaryBuilder, text: &'a str) -> Option<Value<'a>> {
    let names = ["type", "output_index", "item", "delta", "response", "code", "error"];
    let [kind, index, item, delta, response, code, error] = parse_members(text, names)?;
    let number = index.and_then(|index| index.as_u64()).unwrap_or(0);
    match kind.and_then(|kind| kind.string()).as_deref() {
        Some("response.created") => summary.set_model(response.and_then(|response| response.get("model"))),
        Some("response.output_item.added") => {
            if let Some(item) = item {
                add_item(summary, number, &item, true);
            }
        }
        Some("response.output_item.done") => {
            if let Some(item) = item {
                add_item(summary, number, &item, false);
            }
        }
        Some("response.function_call_arguments.delta" | "response.custom_tool_call_input.delta") => {
            summary.append_arguments(number, delta);
        }
        Some(
            "response.output_text.delta"
            | "response.refusal.delta"
            | "response.reasoning_text.delta"
            | "response.reasoning_summary_text.delta",
        ) => summary.add_output(delta),
        Some("response.completed" | "response.incomplete" | "response.failed" | "response.done") => {
            if let Some(response) = response {
                finish_response(summary, response.get_many(FINAL_MEMBERS));
            }
        }
        // The code is beside the type, or in an object.
        Some("error") if error.is_none() => {
            summary.error = Some(class_of(&format!(r#"{{"code":{}}}"#, code.map_or("null", |code| code.raw))));
        }
        _ => {}
    }
    error
}

/// Adds a non-streaming response of the Responses API to the response summary. Returns its error object; `None` if it
/// has none, or is not a JSON object.
pub(crate) fn inspect_response<'a>(summary: &mut SummaryBuilder, text: &'a str) -> Option<Value<'a>> {
    let [model, usage, status, details, error, output] = parse_members(
        text,
        [FINAL_MEMBERS[0], FINAL_MEMBERS[1], FINAL_MEMBERS[2], FINAL_MEMBERS[3], FINAL_MEMBERS[4], "output"],
    )?;
    for (number, item) in (0..).zip(output.iter().flat_map(Value::elements)) {
        add_item(summary, number, &item, true);
        let [arguments, input, content, reasoning_summary] =
            item.get_many(["arguments", "input", "content", "summary"]);
        summary.add_output(arguments.or(input));
        for part in content.iter().chain(&reasoning_summary).flat_map(Value::elements) {
            let [text, refusal] = part.get_many(["text", "refusal"]);
            summary.add_output(text.or(refusal));
        }
    }
    finish_response(summary, [model, usage, status, details, error]);
    error
}

/// Adds an output item of the Responses API to the response summary: counts reasoning, or records a tool call with the
/// arguments so far. `number` is the index of the item. `is_new` is false for the event that completes an item that was
/// added before.
fn add_item(summary: &mut SummaryBuilder, number: u64, item: &Value<'_>, is_new: bool) {
    let [kind, call, name, arguments, input] = item.get_many(["type", "call_id", "name", "arguments", "input"]);
    match kind.and_then(|kind| kind.string()).as_deref() {
        Some("reasoning") => summary.thinking_blocks += u32::from(is_new),
        Some("function_call" | "custom_tool_call") => {
            summary.start_call(number, call, name);
            summary.set_arguments(number, arguments.or(input));
        }
        _ => {}
    }
}

/// The names of the members that are read from a finished response object.
const FINAL_MEMBERS: [&str; 5] = ["model", "usage", "status", "incomplete_details", "error"];

/// Adds a finished response object of the Responses API to the response summary, given the values of its
/// [`FINAL_MEMBERS`]: model, usage, stop reason or error. The response counts as complete if its status is `completed`,
/// `incomplete` or `failed`.
fn finish_response(summary: &mut SummaryBuilder, [model, usage, status, details, error]: [Option<Value<'_>>; 5]) {
    summary.set_model(model);
    summary.set_usage(usage);
    let reason = details.and_then(|details| details.get("reason")).and_then(|reason| reason.string());
    match (status.and_then(|status| status.string()).as_deref(), reason.as_deref()) {
        (Some("completed"), _) => summary.stop_reason = Some(StopReason::EndTurn),
        (Some("incomplete"), Some("content_filter")) => summary.stop_reason = Some(StopReason::Refusal),
        (Some("incomplete"), _) => summary.stop_reason = Some(StopReason::MaxTokens),
        (Some("failed"), _) => {
            summary.error = summary.error.or_else(|| Some(class_of(error.map_or("null", |error| error.raw))));
        }
        // The response is incomplete, or this is no response.
        _ => return,
    }
    summary.complete = true;
}

/// Classifies an error object of the Responses API, given as JSON text.
fn class_of(error: &str) -> ErrorClass {
    classify(WireApi::OpenAiResponses, 0, format!(r#"{{"error":{error}}}"#).as_bytes())
}
