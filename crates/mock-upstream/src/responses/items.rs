//! The items of a response, with the events that stream them.

use serde_json::{Value, json};

use crate::answer::{Answer, Block, Call, THOUGHT, signature};

/// An output item with the events that stream it, without their sequence numbers.
pub(super) struct Item {
    pub(super) done: Value,
    pub(super) events: Vec<Value>,
}

/// Returns the output items of a response.
pub(super) fn items(answer: &Answer) -> Vec<Item> {
    let item = |(index, block): (usize, &Block)| match block {
        Block::Thought => thought(answer, index),
        Block::Text(pieces) => message(answer, index, pieces),
        Block::Call(called) => call(index, called),
    };
    answer.blocks.iter().enumerate().map(item).collect()
}

/// Returns the events of an item between its start and its end.
fn streamed(index: usize, begun: &Value, done: &Value, between: Vec<Value>) -> Vec<Value> {
    let mut events = vec![json!({"type": "response.output_item.added", "output_index": index, "item": begun})];
    events.extend(between);
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": done}));
    events
}

fn thought(answer: &Answer, index: usize) -> Item {
    let id = format!("rs_mock{:08}_{index}", answer.number);
    let encrypted = signature(&answer.model);
    let begun = json!({"id": id, "type": "reasoning", "summary": [], "encrypted_content": encrypted});
    let part = json!({"type": "summary_text", "text": THOUGHT});
    let done = json!({"id": id, "type": "reasoning", "summary": [part], "encrypted_content": encrypted});
    let at = |kind: &str| json!({"type": format!("response.reasoning_summary_{kind}"), "item_id": id, "output_index": index, "summary_index": 0});
    let with = |kind: &str, field: &str, value: Value| {
        let mut event = at(kind);
        event[field] = value;
        event
    };
    let between = vec![
        with("part.added", "part", json!({"type": "summary_text", "text": ""})),
        with("text.delta", "delta", json!(THOUGHT)),
        with("text.done", "text", json!(THOUGHT)),
        with("part.done", "part", part),
    ];
    let events = streamed(index, &begun, &done, between);
    Item { done, events }
}

fn message(answer: &Answer, index: usize, pieces: &[String]) -> Item {
    let id = format!("msg_mock{:08}_{index}", answer.number);
    let text = pieces.concat();
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []});
    let of = |status: &str, content: Vec<Value>| json!({"id": id, "type": "message", "role": "assistant", "status": status, "content": content});
    let (begun, done) = (of("in_progress", Vec::new()), of("completed", vec![part(&text)]));
    let with = |kind: &str, field: &str, value: Value| {
        let mut event =
            json!({"type": format!("response.{kind}"), "item_id": id, "output_index": index, "content_index": 0});
        event[field] = value;
        event
    };
    let text_event = |kind: &str, field: &str, text: &str| {
        let mut event = with(kind, field, json!(text));
        event["logprobs"] = json!([]);
        event
    };
    let mut between = vec![with("content_part.added", "part", part(""))];
    between.extend(pieces.iter().map(|piece| text_event("output_text.delta", "delta", piece)));
    between.push(text_event("output_text.done", "text", &text));
    between.push(with("content_part.done", "part", part(&text)));
    let events = streamed(index, &begun, &done, between);
    Item { done, events }
}

fn call(index: usize, call: &Call) -> Item {
    let arguments = call.arguments();
    let (kind, prefix, field, name) = if call.tool.custom {
        ("custom_tool_call", "ctc", "input", "custom_tool_call_input")
    } else {
        ("function_call", "fc", "arguments", "function_call_arguments")
    };
    let id = format!("{prefix}_mock{}", call.id);
    let of = |status: &str, text: &str| {
        let mut item = json!({
            "id": id,
            "type": kind,
            "status": status,
            "call_id": format!("call_{}", call.id),
            "name": call.tool.name,
        });
        if let Some(namespace) = &call.tool.namespace {
            item["namespace"] = json!(namespace);
        }
        item[field] = json!(text);
        item
    };
    let (begun, done) = (of("in_progress", ""), of("completed", &arguments));
    let event = |what: &str, field: &str, text: &str| {
        let mut event = json!({"type": format!("response.{name}.{what}"), "item_id": id, "output_index": index});
        event[field] = json!(text);
        event
    };
    let (first, second) = arguments.split_at(arguments.ceil_char_boundary(arguments.len() / 2));
    let mut end = event("done", field, &arguments);
    if !call.tool.custom {
        end["name"] = json!(call.tool.name);
    }
    let between = vec![event("delta", "delta", first), event("delta", "delta", second), end];
    let events = streamed(index, &begun, &done, between);
    Item { done, events }
}
