//! Writes responses of Messages.

use hyper::body::Bytes;
use serde_json::{Value, json};

use crate::{
    answer::{Answer, Block, Call, Stop, THOUGHT, Usage, signature},
    sse::typed,
};

/// Writes a response that is not streamed.
pub(crate) fn whole(answer: &Answer) -> Value {
    let content: Vec<Value> = answer.blocks.iter().map(|block| finished(block, &answer.model)).collect();
    message(answer, &content, Some(stop(answer.stop)), &usage(&answer.usage, answer.usage.output))
}

/// Writes a Messages response as the events of a stream.
pub(crate) fn events(answer: &Answer) -> Vec<Bytes> {
    let begun = message(answer, &[], None, &usage(&answer.usage, 1));
    let mut events = vec![typed(&json!({"type": "message_start", "message": begun}))];
    for (index, block) in answer.blocks.iter().enumerate() {
        let (start, deltas) = pieces(block, &answer.model);
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
        "delta": {"stop_reason": stop(answer.stop), "stop_sequence": null},
        "usage": usage(&answer.usage, answer.usage.output),
    })));
    events.push(typed(&json!({"type": "message_stop"})));
    events
}

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

fn finished(block: &Block, model: &str) -> Value {
    match block {
        Block::Thought => json!({"type": "thinking", "thinking": THOUGHT, "signature": signature(model)}),
        Block::Text(pieces) => json!({"type": "text", "text": pieces.concat()}),
        Block::Call(call) => tool_use(call, &call.input),
    }
}

/// Returns a content block as it starts in a stream, and its deltas.
fn pieces(block: &Block, model: &str) -> (Value, Vec<Value>) {
    match block {
        Block::Thought => {
            let (first, second) = THOUGHT.split_at(THOUGHT.len() / 2);
            let mut deltas: Vec<_> =
                [first, second].map(|part| json!({"type": "thinking_delta", "thinking": part})).into();
            deltas.push(json!({"type": "signature_delta", "signature": signature(model)}));
            (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
        }
        Block::Text(pieces) => {
            let deltas = pieces.iter().map(|piece| json!({"type": "text_delta", "text": piece}));
            (json!({"type": "text", "text": ""}), deltas.collect())
        }
        Block::Call(call) => {
            let arguments = call.arguments();
            let middle = arguments.ceil_char_boundary(arguments.len() / 2);
            let (first, second) = arguments.split_at(middle);
            let deltas = ["", first, second].map(|part| json!({"type": "input_json_delta", "partial_json": part}));
            (tool_use(call, &json!({})), deltas.into())
        }
    }
}

fn tool_use(call: &Call, input: &Value) -> Value {
    json!({"type": "tool_use", "id": format!("toolu_{}", call.id), "name": call.tool.name, "input": input})
}

const fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::Said => "end_turn",
        Stop::Tools => "tool_use",
        Stop::Limit => "max_tokens",
    }
}

/// Writes the usage object of Messages, whose `input_tokens` exclude tokens read from the cache or written to it.
fn usage(usage: &Usage, output: u64) -> Value {
    json!({
        "input_tokens": usage.input - usage.cached - usage.written,
        "cache_creation_input_tokens": usage.written,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": output,
    })
}
