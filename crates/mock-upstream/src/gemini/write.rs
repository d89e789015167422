//! Writes responses of `generateContent`.

use hyper::body::Bytes;
use serde_json::{Value, json};

use super::signature::signature;
use crate::{
    answer::{Answer, Block, Call, Stop, THOUGHT, Usage},
    sse::data_crlf,
};

/// Writes a `generateContent` response that is not streamed.
pub(crate) fn whole(answer: &Answer) -> Value {
    let mut all = Vec::new();
    for block in &answer.blocks {
        match block {
            Block::Text(pieces) => all.push(json!({"text": pieces.concat()})),
            other => all.extend(parts(other)),
        }
    }
    sign(&mut all, answer);
    chunk(answer, &all, true)
}

/// Writes a response as the events of a stream.
pub(crate) fn events(answer: &Answer) -> Vec<Bytes> {
    chunks(answer).iter().map(data_crlf).collect()
}

/// Writes a response as the chunks of one JSON array, which is Google's form of a stream unless events are requested.
pub(crate) fn array(answer: &Answer) -> Vec<Bytes> {
    let chunks = chunks(answer);
    let last = chunks.len().saturating_sub(1);
    let piece = |(place, chunk): (usize, &Value)| {
        let begin = if place == 0 { "[" } else { "," };
        let end = if place == last { "]" } else { "" };
        Bytes::from(format!("{begin}{chunk}\r\n{end}"))
    };
    chunks.iter().enumerate().map(piece).collect()
}

fn chunks(answer: &Answer) -> Vec<Value> {
    let mut all: Vec<Value> = answer.blocks.iter().flat_map(parts).collect();
    sign(&mut all, answer);
    let last = all.len().saturating_sub(1);
    all.iter().enumerate().map(|(place, part)| chunk(answer, std::slice::from_ref(part), place == last)).collect()
}

fn parts(block: &Block) -> Vec<Value> {
    match block {
        Block::Thought => vec![json!({"text": THOUGHT, "thought": true})],
        Block::Text(pieces) => pieces.iter().map(|piece| json!({"text": piece})).collect(),
        Block::Call(call) => vec![function_call(call)],
    }
}

fn function_call(call: &Call) -> Value {
    json!({"functionCall": {"id": format!("fn_{}", call.id), "name": call.tool.name, "args": call.input}})
}

/// Whether a part is signed: the first call, and the part after thinking.
fn sign(parts: &mut [Value], answer: &Answer) {
    let call = parts.iter().position(|part| part.get("functionCall").is_some());
    let thought = parts.iter().rposition(|part| part["thought"] == true).map(|place| place + 1);
    if let Some(part) = call.or(thought).and_then(|place| parts.get_mut(place)) {
        part["thoughtSignature"] = json!(signature(&answer.model));
    }
}

/// Writes a chunk with the usage so far; only that of the last chunk is final.
fn chunk(answer: &Answer, parts: &[Value], last: bool) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if last {
        candidate["finishReason"] = json!(if answer.stop == Stop::Limit { "MAX_TOKENS" } else { "STOP" });
    }
    json!({
        "candidates": [candidate],
        "usageMetadata": usage(&answer.usage, last),
        "modelVersion": answer.model,
        "responseId": format!("mock{:08}", answer.number),
    })
}

/// Writes the usage object of Gemini, whose `candidatesTokenCount` excludes thinking.
fn usage(usage: &Usage, last: bool) -> Value {
    if !last {
        return json!({"promptTokenCount": usage.input, "totalTokenCount": usage.input});
    }
    let mut told = json!({
        "promptTokenCount": usage.input,
        "candidatesTokenCount": usage.output - usage.thoughts,
        "totalTokenCount": usage.input + usage.output,
    });
    if usage.cached > 0 {
        told["cachedContentTokenCount"] = json!(usage.cached);
    }
    if usage.thoughts > 0 {
        told["thoughtsTokenCount"] = json!(usage.thoughts);
    }
    told
}
