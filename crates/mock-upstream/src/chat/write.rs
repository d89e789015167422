//! Writes responses of Chat Completions.

use hyper::body::Bytes;
use serde_json::{Map, Value, json};

use crate::{
    answer::{Answer, Block, Call, Stop, THOUGHT, Usage},
    sse::data,
};

/// The creation time of all responses, in seconds since 1970; fixed, so that responses are the same at any time.
const CREATED: u64 = 1_700_000_000;

/// Writes a chat completion that is not streamed.
pub(crate) fn whole(answer: &Answer) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    message.insert("content".to_owned(), Value::Null);
    message.insert("refusal".to_owned(), Value::Null);
    let mut calls = Vec::new();
    let mut text = String::new();
    for block in &answer.blocks {
        match block {
            // The field that DeepSeek, vLLM and others use; OpenAI returns no thinking.
            Block::Thought => drop(message.insert("reasoning_content".to_owned(), json!(THOUGHT))),
            Block::Text(pieces) => text.push_str(&pieces.concat()),
            Block::Call(called) => calls.push(call(called, &called.arguments())),
        }
    }
    if !text.is_empty() {
        message.insert("content".to_owned(), json!(text));
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), json!(calls));
    }
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish(answer.stop)});
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

/// Writes a response as the events of a stream, with usage if it was requested.
pub(crate) fn events(answer: &Answer, include_usage: bool) -> Vec<Bytes> {
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
    let mut called = 0;
    for block in &answer.blocks {
        match block {
            Block::Thought => events.push(event(json!({"reasoning_content": THOUGHT}), None)),
            Block::Text(pieces) => {
                events.extend(pieces.iter().map(|piece| event(json!({"content": piece}), None)));
            }
            Block::Call(call) => {
                for delta in call_deltas(call, called) {
                    events.push(event(json!({"tool_calls": [delta]}), None));
                }
                called += 1;
            }
        }
    }
    events.push(event(json!({}), Some(finish(answer.stop))));
    if include_usage {
        chunk["choices"] = json!([]);
        chunk["usage"] = usage(&answer.usage);
        events.push(data(&chunk));
    }
    events.push(Bytes::from_static(b"data: [DONE]\n\n"));
    events
}

fn id(answer: &Answer) -> String {
    format!("chatcmpl-mock{:08}", answer.number)
}

fn call(call: &Call, arguments: &str) -> Value {
    let id = format!("call_{}", call.id);
    if call.tool.custom {
        return json!({"id": id, "type": "custom", "custom": {"name": call.tool.name, "input": arguments}});
    }
    json!({"id": id, "type": "function", "function": {"name": call.tool.name, "arguments": arguments}})
}

/// Returns the deltas of a tool call: its start, and its arguments in two parts.
fn call_deltas(called: &Call, index: usize) -> [Value; 3] {
    let arguments = called.arguments();
    let (first, second) = arguments.split_at(arguments.ceil_char_boundary(arguments.len() / 2));
    let mut begun = call(called, "");
    begun["index"] = json!(index);
    let (kind, field) = if called.tool.custom { ("custom", "input") } else { ("function", "arguments") };
    let piece = |text: &str| json!({"index": index, kind: {field: text}});
    [begun, piece(first), piece(second)]
}

const fn finish(stop: Stop) -> &'static str {
    match stop {
        Stop::Said => "stop",
        Stop::Tools => "tool_calls",
        Stop::Limit => "length",
    }
}

/// Writes the usage object of chat completions, whose `prompt_tokens` include cached tokens.
fn usage(usage: &Usage) -> Value {
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": usage.thoughts, "audio_tokens": 0},
    })
}
