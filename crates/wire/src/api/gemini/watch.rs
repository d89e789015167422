//! Extracts the recorded properties of Gemini's responses: model, usage, tool calls, stop reason, errors.

use contracts::events::StopReason;

use crate::json::Value;
use crate::watch::{parse_members, summary_builder::SummaryBuilder};

/// Adds a chunk of a stream, or a non-streaming `generateContent` response, to the response summary. Returns its error
/// object; `None` if it has none, or is not a JSON object. Each chunk has a usage object with the counts so far; the
/// last one is used.
pub(crate) fn inspect_chunk<'a>(summary: &mut SummaryBuilder, text: &'a str) -> Option<Value<'a>> {
    let names = ["modelVersion", "usageMetadata", "candidates", "promptFeedback", "error"];
    let [model, usage, candidates, feedback, error] = parse_members(text, names)?;
    summary.set_model(model);
    summary.set_usage(usage);
    for candidate in candidates.iter().flat_map(Value::elements) {
        let [content, reason] = candidate.get_many(["content", "finishReason"]);
        let parts = content.and_then(|content| content.get("parts"));
        for part in parts.iter().flat_map(Value::elements) {
            add_part(summary, &part);
        }
        set_stop_reason(summary, reason);
    }
    if feedback.and_then(|feedback| feedback.get("blockReason")).is_some() {
        summary.stop_reason = Some(StopReason::Refusal);
        summary.complete = true;
    }
    error
}

/// Adds a part of a `generateContent` response to the response summary: text, thinking or a function call.
fn add_part(summary: &mut SummaryBuilder, part: &Value<'_>) {
    let [text, thought, call] = part.get_many(["text", "thought", "functionCall"]);
    summary.add_text(thought.and_then(|thought| thought.as_bool()) == Some(true), text);
    if let Some(call) = call {
        let [id, name, arguments] = call.get_many(["id", "name", "args"]);
        let number = summary.next_call_number();
        summary.start_call(number, id, name);
        summary.set_arguments(number, arguments);
        summary.add_output_bytes(arguments.map_or(0, |arguments| arguments.raw.len()));
    }
}

/// Sets the stop reason of the response summary from the `finishReason` of a Gemini response, and marks the response as
/// complete; does nothing if the reason is missing or `null`.
fn set_stop_reason(summary: &mut SummaryBuilder, reason: Option<Value<'_>>) {
    let Some(reason) = reason.and_then(|reason| reason.string()) else { return };
    summary.complete = true;
    summary.stop_reason = Some(match reason.as_ref() {
        "STOP" => StopReason::EndTurn,
        "MAX_TOKENS" => StopReason::MaxTokens,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => StopReason::Refusal,
        _ => StopReason::Unknown,
    });
}
