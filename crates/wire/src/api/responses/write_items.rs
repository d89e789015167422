//! Writes the input items of a Responses request from canonical messages.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::convert::{
    canonical::request::{Block, Message, Role, ToolCall, ToolInput, ToolResult},
    ids,
    object::object,
};

/// Writes the input items of a Responses request from canonical messages, one message after the other.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// The items so far.
    items: Vec<Value>,
    /// The ids of calls of custom tools, whose results are items of another type.
    custom_call_ids: BTreeSet<String>,
}

impl Items {
    /// Returns all items as the `input` list of the request.
    pub(super) fn into_input(self) -> Value {
        Value::Array(self.items)
    }

    /// Appends the items of a Responses request for a message. Each tool call and each tool result becomes an item of
    /// its own; the texts and images between them become message items.
    pub(super) fn write(&mut self, message: Message) {
        let role = message.role;
        let mut parts = Vec::new();
        for block in message.blocks {
            match block {
                Block::ToolCall(call) => {
                    self.write_message(role, &mut parts);
                    self.write_call(call);
                }
                Block::ToolResult(result) => {
                    self.write_message(role, &mut parts);
                    self.write_result(result);
                }
                block => parts.extend(part_of(block, role)),
            }
        }
        self.write_message(role, &mut parts);
    }

    /// Appends a message item of a Responses request with these content parts, and clears `parts`. Does nothing if
    /// there are none.
    fn write_message(&mut self, role: Role, parts: &mut Vec<Value>) {
        if parts.is_empty() {
            return;
        }
        let role = match role {
            Role::System => "developer",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        self.items.push(object!({"type": "message", "role": role, "content": std::mem::take(parts)}));
    }

    /// Appends the item of a Responses request for a tool call, and records the id of a call of a custom tool.
    fn write_call(&mut self, call: ToolCall) {
        let ToolCall { id, name, input } = call;
        let id = ids::valid_call_id(id);
        self.items.push(match input {
            ToolInput::Free(input) => {
                self.custom_call_ids.insert(id.clone());
                object!({"type": "custom_tool_call", "call_id": id, "name": name, "input": input})
            }
            input => {
                object!({"type": "function_call", "call_id": id, "name": name, "arguments": input.into_text()})
            }
        });
    }

    /// Appends the item of a Responses request for a tool result. The text of a failed result starts with a note about
    /// the failure, since the API has no field for it.
    fn write_result(&mut self, result: ToolResult) {
        let id = ids::valid_call_id(result.call_id.clone());
        let mut content = result.content_with_failure();
        let output = match content.as_mut_slice() {
            [] => Value::from(""),
            [Block::Text(text)] => Value::from(std::mem::take(text)),
            _ => content.into_iter().filter_map(|block| part_of(block, Role::User)).collect(),
        };
        let kind = if self.custom_call_ids.contains(&id) { "custom_tool_call_output" } else { "function_call_output" };
        self.items.push(object!({"type": kind, "call_id": id, "output": output}));
    }
}

/// Writes a text or an image as a content part of a Responses request; `None` for tool calls and results, which are
/// items.
fn part_of(block: Block, role: Role) -> Option<Value> {
    match block {
        Block::Text(text) if role == Role::Assistant => Some(object!({"type": "output_text", "text": text})),
        Block::Text(text) => Some(object!({"type": "input_text", "text": text})),
        Block::Image(image) => Some(object!({"type": "input_image", "image_url": image.into_url()})),
        // Calls and results are items of their own.
        Block::ToolCall(_) | Block::ToolResult(_) => None,
    }
}
