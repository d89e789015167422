//! Writes responses in the JSON of Chat Completions.

use hyper::body::Bytes;
use serde_json::{Map, Value, json};

use crate::{
    answer::{Answer, Block, StopReason, THINKING_TEXT, ToolCall, Usage},
    sse::data,
};

/// The creation time of all responses, in seconds since 1970. Fixed, so that responses are reproducible.
const CREATED: u64 = 1_700_000_000;

/// Writes the mock's response as the JSON of `OpenAI`'s Chat Completions API.
pub(crate) fn response_body(answer: &Answer) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    message.insert("content".to_owned(), Value::Null);
    message.insert("refusal".to_owned(), Value::Null);
    let mut calls = Vec::new();
    let mut text = String::new();
    for block in &answer.blocks {
        match block {
            // The field that DeepSeek, vLLM and others use; OpenAI returns no thinking.
            Block::Thinking => drop(message.insert("reasoning_content".to_owned(), json!(THINKING_TEXT))),
            Block::Text(deltas) => text.push_str(&deltas.concat()),
            Block::ToolCall(tool_call) => calls.push(call(tool_call, &tool_call.arguments())),
        }
    }
    if !text.is_empty() {
        message.insert("content".to_owned(), json!(text));
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), json!(calls));
    }
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(answer.stop)});
    json!({
        "id": id(answer),
        "object": "chat.completion",
        "created": CREATED,
        "model": answer.model,
        "choices": [choice],
        "usage": usage(&answer.usage),
        "service_tier": "default",
        "system_fingerprint": "fp_mock",
    })
}

/// Writes a response as the chunks of `OpenAI`'s Chat Completions API, up to `[DONE]`. With `include_usage` the last
/// chunk has the usage.
pub(crate) fn stream_events(answer: &Answer, include_usage: bool) -> Vec<Bytes> {
    let mut chunk = json!({
        "id": id(answer),
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": answer.model,
        "service_tier": "default",
        "system_fingerprint": "fp_mock",
        "choices": [],
    });
    if include_usage {
        chunk["usage"] = Value::Null;
    }
    let mut event = |delta: Value, finish: Option<&str>| {
        chunk["choices"] = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]);
        data(&chunk)
    };
    let mut events = vec![event(json!({"role": "assistant", "content": "", "refusal": null}), None)];
    let mut tool_call = 0;
    for block in &answer.blocks {
        match block {
            Block::Thinking => events.push(event(json!({"reasoning_content": THINKING_TEXT}), None)),
            Block::Text(deltas) => {
                events.extend(deltas.iter().map(|delta| event(json!({"content": delta}), None)));
            }
            Block::ToolCall(call) => {
                for delta in call_deltas(call, tool_call) {
                    events.push(event(json!({"tool_calls": [delta]}), None));
                }
                tool_call += 1;
            }
        }
    }
    events.push(event(json!({}), Some(finish_reason(answer.stop))));
    if include_usage {
        chunk["choices"] = json!([]);
        chunk["usage"] = usage(&answer.usage);
        events.push(data(&chunk));
    }
    events.push(Bytes::from_static(b"data: [DONE]\n\n"));
    events
}

/// Returns the id of a chat completion, which contains the number of the request.
fn id(answer: &Answer) -> String {
    format!("chatcmpl-mock{:08}", answer.number)
}

/// Writes a tool call of a chat completion with these arguments as text.
fn call(call: &ToolCall, arguments: &str) -> Value {
    let id = format!("call_{}", call.id);
    if call.tool.custom {
        return json!({"id": id, "type": "custom", "custom": {"name": call.tool.name, "input": arguments}});
    }
    json!({"id": id, "type": "function", "function": {"name": call.tool.name, "arguments": arguments}})
}

/// Returns the deltas of a tool call in a streamed chat completion: its start without arguments, and its arguments in
/// two parts. `index` is the index of the call in the message.
fn call_deltas(tool_call: &ToolCall, index: usize) -> [Value; 3] {
    let arguments = tool_call.arguments();
    let (first_half, second_half) = arguments.split_at(arguments.ceil_char_boundary(arguments.len() / 2));
    let mut start = call(tool_call, "");
    start["index"] = json!(index);
    let (kind, field) = if tool_call.tool.custom { ("custom", "input") } else { ("function", "arguments") };
    let delta = |text: &str| json!({"index": index, kind: {field: text}});
    [start, delta(first_half), delta(second_half)]
}

/// Returns the value of `finish_reason` in a chat completion.
const fn finish_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn => "stop",
        StopReason::ToolUse => "tool_calls",
        StopReason::MaxTokens => "length",
    }
}

/// Writes the `usage` object of a chat completion. `OpenAI`'s `prompt_tokens` include cached tokens.
fn usage(usage: &Usage) -> Value {
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": usage.thinking, "audio_tokens": 0},
    })
}
