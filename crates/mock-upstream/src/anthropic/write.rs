//! Writes responses in the JSON of Messages.

use hyper::body::Bytes;
use serde_json::{Value, json};

use crate::{
    answer::{Answer, Block, StopReason, THINKING_TEXT, ToolCall, Usage, signature},
    sse::typed,
};

/// Writes a response as the JSON of Anthropic's Messages API.
pub(crate) fn response_body(answer: &Answer) -> Value {
    let content: Vec<Value> = answer.blocks.iter().map(|block| content_block(block, &answer.model)).collect();
    message(answer, &content, Some(stop_reason(answer.stop)), &usage(&answer.usage, answer.usage.output))
}

/// Writes a response as the server-sent events of Anthropic's Messages API, from `message_start` to `message_stop`.
pub(crate) fn stream_events(answer: &Answer) -> Vec<Bytes> {
    let start = message(answer, &[], None, &usage(&answer.usage, 1));
    let mut events = vec![typed(&json!({"type": "message_start", "message": start}))];
    for (index, block) in answer.blocks.iter().enumerate() {
        let (start, deltas) = streamed_block(block, &answer.model);
        events.push(typed(&json!({"type": "content_block_start", "index": index, "content_block": start})));
        if index == 0 {
            events.push(typed(&json!({"type": "ping"})));
        }
        for delta in deltas {
            events.push(typed(&json!({"type": "content_block_delta", "index": index, "delta": delta})));
        }
        events.push(typed(&json!({"type": "content_block_stop", "index": index})));
    }
    events.push(typed(&json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(answer.stop), "stop_sequence": null},
        "usage": usage(&answer.usage, answer.usage.output),
    })));
    events.push(typed(&json!({"type": "message_stop"})));
    events
}

/// Writes the message object of a Messages response with this content, stop reason (`null` if `None`) and usage object.
fn message(answer: &Answer, content: &[Value], stop: Option<&str>, usage: &Value) -> Value {
    json!({
        "id": format!("msg_mock_{:08}", answer.number),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": null,
        "usage": usage,
    })
}

/// Writes a complete content block of a Messages response; thinking is signed with the signature of `model`.
fn content_block(block: &Block, model: &str) -> Value {
    match block {
        Block::Thinking => json!({"type": "thinking", "thinking": THINKING_TEXT, "signature": signature(model)}),
        Block::Text(deltas) => json!({"type": "text", "text": deltas.concat()}),
        Block::ToolCall(call) => tool_use(call, &call.input),
    }
}

/// Returns the content block in the `content_block_start` event of a Messages stream, and the deltas that follow.
fn streamed_block(block: &Block, model: &str) -> (Value, Vec<Value>) {
    match block {
        Block::Thinking => {
            let (first_half, second_half) = THINKING_TEXT.split_at(THINKING_TEXT.len() / 2);
            let mut deltas: Vec<_> =
                [first_half, second_half].map(|part| json!({"type": "thinking_delta", "thinking": part})).into();
            deltas.push(json!({"type": "signature_delta", "signature": signature(model)}));
            (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
        }
        Block::Text(deltas) => {
            let deltas = deltas.iter().map(|delta| json!({"type": "text_delta", "text": delta}));
            (json!({"type": "text", "text": ""}), deltas.collect())
        }
        Block::ToolCall(call) => {
            let arguments = call.arguments();
            let middle = arguments.ceil_char_boundary(arguments.len() / 2);
            let (first_half, second_half) = arguments.split_at(middle);
            let deltas =
                ["", first_half, second_half].map(|part| json!({"type": "input_json_delta", "partial_json": part}));
            (tool_use(call, &json!({})), deltas.into())
        }
    }
}

/// Writes a `tool_use` block of a Messages response with these arguments.
fn tool_use(call: &ToolCall, input: &Value) -> Value {
    json!({"type": "tool_use", "id": format!("toolu_{}", call.id), "name": call.tool.name, "input": input})
}

/// Returns the value of `stop_reason` in a Messages response.
const fn stop_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn => "end_turn",
        StopReason::ToolUse => "tool_use",
        StopReason::MaxTokens => "max_tokens",
    }
}

/// Writes the `usage` object of a Messages response, with `output` output tokens. Anthropic's `input_tokens` exclude
/// tokens read from the cache or written to it.
fn usage(usage: &Usage, output: u64) -> Value {
    json!({
        "input_tokens": usage.input - usage.cache_read - usage.cache_written,
        "cache_creation_input_tokens": usage.cache_written,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": output,
    })
}
