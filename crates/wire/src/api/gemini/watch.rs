//! Inspects responses of Gemini.

use contracts::events::StopReason;

use crate::json::Value;
use crate::watch::{picked, tally::Tally};

/// Reads a chunk of a stream, or a response that is not streamed, and returns the error in it. Each chunk has a usage
/// object; the last one counts.
pub(crate) fn chunk<'a>(tally: &mut Tally, text: &'a str) -> Option<Value<'a>> {
    let names = ["modelVersion", "usageMetadata", "candidates", "promptFeedback", "error"];
    let [model, usage, candidates, feedback, error] = picked(text, names)?;
    tally.model(model);
    tally.account(usage);
    for candidate in candidates.iter().flat_map(Value::elements) {
        let [content, reason] = candidate.pick(["content", "finishReason"]);
        let parts = content.and_then(|content| content.get("parts"));
        for part in parts.iter().flat_map(Value::elements) {
            self::part(tally, &part);
        }
        stop(tally, reason);
    }
    if feedback.and_then(|feedback| feedback.get("blockReason")).is_some() {
        tally.stop = Some(StopReason::Refusal);
        tally.complete = true;
    }
    error
}

fn part(tally: &mut Tally, part: &Value<'_>) {
    let [text, thought, call] = part.pick(["text", "thought", "functionCall"]);
    tally.thought_or_said(thought.and_then(|thought| thought.boolean()) == Some(true), text);
    if let Some(call) = call {
        let [id, name, arguments] = call.pick(["id", "name", "args"]);
        let number = tally.next_call();
        tally.call(number, id, name);
        tally.all_arguments(number, arguments);
        tally.written_bytes(arguments.map_or(0, |arguments| arguments.raw.len()));
    }
}

fn stop(tally: &mut Tally, reason: Option<Value<'_>>) {
    let Some(reason) = reason.and_then(|reason| reason.string()) else { return };
    tally.complete = true;
    tally.stop = Some(match reason.as_ref() {
        "STOP" => StopReason::EndTurn,
        "MAX_TOKENS" => StopReason::MaxTokens,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => StopReason::Refusal,
        _ => StopReason::Unknown,
    });
}
