//! The output items of a response, with the events that stream them.

use serde_json::{Value, json};

use crate::answer::{Answer, Block, THINKING_TEXT, ToolCall, signature};

/// An output item of a response of the Responses API, with the events that stream it.
pub(super) struct Item {
    /// The complete item.
    pub(super) done: Value,
    /// The events that stream it, without their sequence numbers.
    pub(super) events: Vec<Value>,
}

/// Returns one output item of the Responses API for each block of a response.
pub(super) fn output_items(answer: &Answer) -> Vec<Item> {
    let item = |(index, block): (usize, &Block)| match block {
        Block::Thinking => reasoning(answer, index),
        Block::Text(deltas) => message(answer, index, deltas),
        Block::ToolCall(call) => tool_call(index, call),
    };
    answer.blocks.iter().enumerate().map(item).collect()
}

/// Returns the stream events of an output item of the Responses API: an event that adds it with the value `started`,
/// then `inner_events`, then an event that completes it with the value `done`.
fn item_events(index: usize, started: &Value, done: &Value, inner_events: Vec<Value>) -> Vec<Value> {
    let mut events = vec![json!({"type": "response.output_item.added", "output_index": index, "item": started})];
    events.extend(inner_events);
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": done}));
    events
}

/// Builds a reasoning item of the Responses API with a summary and the signature as its encrypted content. `index` is
/// the position of the item in the response.
fn reasoning(answer: &Answer, index: usize) -> Item {
    let id = format!("rs_mock{:08}_{index}", answer.number);
    let encrypted_content = signature(&answer.model);
    let first_item = json!({"id": id, "type": "reasoning", "summary": [], "encrypted_content": encrypted_content});
    let part = json!({"type": "summary_text", "text": THINKING_TEXT});
    let done = json!({"id": id, "type": "reasoning", "summary": [part], "encrypted_content": encrypted_content});
    let part_event = |kind: &str| json!({"type": format!("response.reasoning_summary_{kind}"), "item_id": id, "output_index": index, "summary_index": 0});
    let part_event_with = |kind: &str, field: &str, value: Value| {
        let mut event = part_event(kind);
        event[field] = value;
        event
    };
    let inner_events = vec![
        part_event_with("part.added", "part", json!({"type": "summary_text", "text": ""})),
        part_event_with("text.delta", "delta", json!(THINKING_TEXT)),
        part_event_with("text.done", "text", json!(THINKING_TEXT)),
        part_event_with("part.done", "part", part),
    ];
    let events = item_events(index, &first_item, &done, inner_events);
    Item { done, events }
}

/// Builds a message item of the Responses API with one text part, which is streamed in `deltas`. `index` is the
/// position of the item in the response.
fn message(answer: &Answer, index: usize, deltas: &[String]) -> Item {
    let id = format!("msg_mock{:08}_{index}", answer.number);
    let text = deltas.concat();
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []});
    let item_with_status = |status: &str, content: Vec<Value>| json!({"id": id, "type": "message", "role": "assistant", "status": status, "content": content});
    let (first_item, done) =
        (item_with_status("in_progress", Vec::new()), item_with_status("completed", vec![part(&text)]));
    let event_with = |kind: &str, field: &str, value: Value| {
        let mut event =
            json!({"type": format!("response.{kind}"), "item_id": id, "output_index": index, "content_index": 0});
        event[field] = value;
        event
    };
    let text_event = |kind: &str, field: &str, text: &str| {
        let mut event = event_with(kind, field, json!(text));
        event["logprobs"] = json!([]);
        event
    };
    let mut inner_events = vec![event_with("content_part.added", "part", part(""))];
    inner_events.extend(deltas.iter().map(|delta| text_event("output_text.delta", "delta", delta)));
    inner_events.push(text_event("output_text.done", "text", &text));
    inner_events.push(event_with("content_part.done", "part", part(&text)));
    let events = item_events(index, &first_item, &done, inner_events);
    Item { done, events }
}

/// Builds the Responses item of a call of a function or a custom tool, whose arguments are streamed in two deltas.
/// `index` is the position of the item in the response.
fn tool_call(index: usize, call: &ToolCall) -> Item {
    let arguments = call.arguments();
    let (kind, prefix, field, name) = if call.tool.custom {
        ("custom_tool_call", "ctc", "input", "custom_tool_call_input")
    } else {
        ("function_call", "fc", "arguments", "function_call_arguments")
    };
    let id = format!("{prefix}_mock{}", call.id);
    let item_with_status = |status: &str, text: &str| {
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
    let (first_item, done) = (item_with_status("in_progress", ""), item_with_status("completed", &arguments));
    let event = |what: &str, field: &str, text: &str| {
        let mut event = json!({"type": format!("response.{name}.{what}"), "item_id": id, "output_index": index});
        event[field] = json!(text);
        event
    };
    let (first_half, second_half) = arguments.split_at(arguments.ceil_char_boundary(arguments.len() / 2));
    let mut end = event("done", field, &arguments);
    if !call.tool.custom {
        end["name"] = json!(call.tool.name);
    }
    let inner_events = vec![event("delta", "delta", first_half), event("delta", "delta", second_half), end];
    let events = item_events(index, &first_item, &done, inner_events);
    Item { done, events }
}
