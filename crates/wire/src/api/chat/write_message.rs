//! Writes the messages of a chat completions request from the canonical form.

use contracts::Requirement;
use serde_json::Value;

use crate::convert::{
    ConvertError,
    canonical::request::{Block, Message, Role, ToolCall, ToolInput, ToolResult},
    ids,
    object::object,
};

/// Converts a canonical message to messages of chat completions and appends them to `messages`. Each tool result becomes
/// a message of its own, before the rest.
///
/// # Errors
/// [`ConvertError::Requires`] if a tool result has an image.
pub(super) fn write_message(message: Message, messages: &mut Vec<Value>) -> Result<(), ConvertError> {
    let mut content = Vec::new();
    let mut calls = Vec::new();
    for block in message.blocks {
        match block {
            Block::ToolResult(result) => messages.push(write_result(result)?),
            Block::ToolCall(call) => calls.push(write_call(call)),
            block => content.push(block),
        }
    }
    if content.is_empty() && calls.is_empty() {
        return Ok(());
    }
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let mut message = object!({"role": role, "content": write_content(content)?});
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    messages.push(message);
    Ok(())
}

/// Converts texts and images to the `content` of a message in chat completions: `null` if there are none, a string for
/// a single text, because some compatible servers accept nothing else, and a list of parts otherwise.
///
/// # Errors
/// [`ConvertError::Requires`] for blocks of other kinds.
fn write_content(mut blocks: Vec<Block>) -> Result<Value, ConvertError> {
    if blocks.len() == 1
        && let Some(Block::Text(text)) = blocks.first_mut()
    {
        return Ok(Value::String(std::mem::take(text)));
    }
    if blocks.is_empty() {
        return Ok(Value::Null);
    }
    let part = |block| match block {
        Block::Text(text) => Ok(object!({"type": "text", "text": text})),
        Block::Image(image) => Ok(object!({"type": "image_url", "image_url": object!({"url": image.into_url()})})),
        Block::ToolCall(_) | Block::ToolResult(_) => Err(ConvertError::Requires(Requirement::Native)),
    };
    blocks.into_iter().map(part).collect::<Result<Vec<_>, _>>().map(Value::Array)
}

/// Writes a tool call of a chat completions request: a function with its arguments as JSON text, or a custom tool with
/// its input.
fn write_call(call: ToolCall) -> Value {
    let ToolCall { id, name, input } = call;
    let id = ids::valid_call_id(id);
    match input {
        ToolInput::Free(input) => {
            object!({"id": id, "type": "custom", "custom": object!({"name": name, "input": input})})
        }
        input => {
            object!({"id": id, "type": "function", "function": object!({"name": name, "arguments": input.into_text()})})
        }
    }
}

/// Writes a tool result as a chat completions message with the role `tool`. The text of a failed result starts with a
/// note about the failure, since the API has no field for it.
///
/// # Errors
/// [`ConvertError::Requires`] if the result has an image.
fn write_result(result: ToolResult) -> Result<Value, ConvertError> {
    let call = ids::valid_call_id(result.call_id.clone());
    let content = result.content_with_failure();
    if content.iter().any(|block| matches!(block, Block::Image(_))) {
        return Err(ConvertError::Requires(Requirement::ToolImages));
    }
    let content = match write_content(content)? {
        Value::Null => Value::String(String::new()),
        content => content,
    };
    Ok(object!({"role": "tool", "tool_call_id": call, "content": content}))
}
