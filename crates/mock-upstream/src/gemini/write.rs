//! Writes responses in the JSON of `generateContent`.

use hyper::body::Bytes;
use serde_json::{Value, json};

use super::signature::signature;
use crate::{
    answer::{Answer, Block, StopReason, THINKING_TEXT, ToolCall, Usage},
    sse::data_crlf,
};

/// Writes the mock's response as the JSON of Google's `generateContent`.
pub(crate) fn response_body(answer: &Answer) -> Value {
    let mut parts_of_response = Vec::new();
    for block in &answer.blocks {
        match block {
            Block::Text(deltas) => parts_of_response.push(json!({"text": deltas.concat()})),
            other => parts_of_response.extend(parts(other)),
        }
    }
    add_signature(&mut parts_of_response, answer);
    chunk(answer, &parts_of_response, true)
}

/// Writes a response as the server-sent events of Google's `streamGenerateContent?alt=sse`.
pub(crate) fn stream_events(answer: &Answer) -> Vec<Bytes> {
    chunks(answer).iter().map(data_crlf).collect()
}

/// Writes a response as one JSON array in chunks, which is how Google's `streamGenerateContent` responds without
/// `alt=sse`.
pub(crate) fn stream_array(answer: &Answer) -> Vec<Bytes> {
    let chunks = chunks(answer);
    let last_index = chunks.len().saturating_sub(1);
    let element = |(index, chunk): (usize, &Value)| {
        let start = if index == 0 { "[" } else { "," };
        let end = if index == last_index { "]" } else { "" };
        Bytes::from(format!("{start}{chunk}\r\n{end}"))
    };
    chunks.iter().enumerate().map(element).collect()
}

/// Returns the chunks of a streamed Gemini response, one for each part.
fn chunks(answer: &Answer) -> Vec<Value> {
    let mut parts_of_response: Vec<Value> = answer.blocks.iter().flat_map(parts).collect();
    add_signature(&mut parts_of_response, answer);
    let last_index = parts_of_response.len().saturating_sub(1);
    parts_of_response
        .iter()
        .enumerate()
        .map(|(index, part)| chunk(answer, std::slice::from_ref(part), index == last_index))
        .collect()
}

/// Returns the Gemini parts of a block: one for each delta of a text, and a single one for thinking or a call.
fn parts(block: &Block) -> Vec<Value> {
    match block {
        Block::Thinking => vec![json!({"text": THINKING_TEXT, "thought": true})],
        Block::Text(deltas) => deltas.iter().map(|delta| json!({"text": delta})).collect(),
        Block::ToolCall(call) => vec![function_call(call)],
    }
}

/// Writes a tool call as a Gemini part.
fn function_call(call: &ToolCall) -> Value {
    json!({"functionCall": {"id": format!("fn_{}", call.id), "name": call.tool.name, "args": call.input}})
}

/// Adds Gemini's thought signature to the first function call or, without a call, to the part after the last thought.
fn add_signature(parts: &mut [Value], answer: &Answer) {
    let call = parts.iter().position(|part| part.get("functionCall").is_some());
    let after_thought = parts.iter().rposition(|part| part["thought"] == true).map(|index| index + 1);
    if let Some(part) = call.or(after_thought).and_then(|index| parts.get_mut(index)) {
        part["thoughtSignature"] = json!(signature(&answer.model));
    }
}

/// Writes a chunk of a Gemini response with these parts. Every chunk has the input tokens; the last one (`is_last`) also has the
/// finish reason and all token counts.
fn chunk(answer: &Answer, parts: &[Value], is_last: bool) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if is_last {
        candidate["finishReason"] = json!(if answer.stop == StopReason::MaxTokens { "MAX_TOKENS" } else { "STOP" });
    }
    json!({
        "candidates": [candidate],
        "usageMetadata": usage(&answer.usage, is_last),
        "modelVersion": answer.model,
        "responseId": format!("mock{:08}", answer.number),
    })
}

/// Writes the `usageMetadata` object of a Gemini response; only the last chunk (`is_last`) has the counts of the output and the
/// cache. `candidatesTokenCount` excludes thinking.
fn usage(usage: &Usage, is_last: bool) -> Value {
    if !is_last {
        return json!({"promptTokenCount": usage.input, "totalTokenCount": usage.input});
    }
    let mut counts = json!({
        "promptTokenCount": usage.input,
        "candidatesTokenCount": usage.output - usage.thinking,
        "totalTokenCount": usage.input + usage.output,
    });
    if usage.cache_read > 0 {
        counts["cachedContentTokenCount"] = json!(usage.cache_read);
    }
    if usage.thinking > 0 {
        counts["thoughtsTokenCount"] = json!(usage.thinking);
    }
    counts
}
