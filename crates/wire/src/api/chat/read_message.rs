//! Parses the messages of chat completions.

use contracts::Requirement;
use serde_json::Value;

use crate::{
    convert::{
        ConvertError,
        canonical::request::{Block, Image, Input, Message, Role, ToolCall, ToolResult},
        fields::{Fields, is_nothing},
        gate::Gate,
    },
    fields::Place,
};

const NATIVE: ConvertError = ConvertError::Requires(Requirement::Native);

pub(super) fn read_message(message: Value, gate: &mut Gate<'_>) -> Result<Message, ConvertError> {
    let mut fields = Fields::of(message, "a message")?;
    let said_by = fields.needed_text("role")?;
    let (role, is_result) = match said_by.as_str() {
        "system" | "developer" => (Role::System, false),
        "user" => (Role::User, false),
        "assistant" => (Role::Assistant, false),
        "tool" => (Role::User, true),
        _ => return Err(NATIVE),
    };
    let mut blocks = match fields.take("content") {
        None => Vec::new(),
        Some(content) => read_content(content, role, gate)?,
    };
    if is_result {
        let call = fields.needed_text("tool_call_id")?;
        for block in &blocks {
            if matches!(block, Block::Image(_)) {
                gate.require(Requirement::ToolImages)?;
            }
        }
        blocks = vec![Block::ToolResult(ToolResult { call, content: blocks, failed: false })];
    } else if fields.take("name").is_some() {
        return Err(NATIVE);
    }
    for call in fields.list("tool_calls")? {
        if role != Role::Assistant {
            return Err(NATIVE);
        }
        blocks.push(Block::ToolCall(read_call(call, gate)?));
    }
    for name in ["refusal", "annotations", "function_call"] {
        if fields.take_unless(name, is_nothing).is_some() {
            return Err(NATIVE);
        }
    }
    for name in ["reasoning", "reasoning_content", "reasoning_details"] {
        if fields.take_unless(name, is_nothing).is_some() {
            gate.leave_out(Requirement::Signatures)?;
        }
    }
    fields.done_in(Place::Message, gate)?;
    Ok(Message { role, blocks })
}

fn read_content(content: Value, role: Role, gate: &mut Gate<'_>) -> Result<Vec<Block>, ConvertError> {
    let parts = match content {
        Value::String(text) if text.is_empty() => return Ok(Vec::new()),
        Value::String(text) => return Ok(vec![Block::Text(text)]),
        Value::Array(parts) => parts,
        _ => return Err(ConvertError::malformed("the content of a message", "is neither text nor a list")),
    };
    let mut blocks = Vec::with_capacity(parts.len());
    for part in parts {
        blocks.push(read_part(part, role, gate)?);
    }
    Ok(blocks)
}

fn read_part(part: Value, role: Role, gate: &mut Gate<'_>) -> Result<Block, ConvertError> {
    let mut fields = Fields::of(part, "a part of a message")?;
    let block = match fields.needed_text("type")?.as_str() {
        "text" => Block::Text(fields.needed_text("text")?),
        "image_url" if role == Role::User => {
            let mut image = fields.object("image_url", "an image")?.ok_or(fields.wrong("has no image"))?;
            // How closely it is looked at: other APIs choose it, or look at all of it.
            image.text("detail")?;
            let read = Image::of_url(image.needed_text("url")?);
            image.done()?;
            if matches!(read, Image::Remote(_)) {
                gate.require(Requirement::RemoteImages)?;
            }
            Block::Image(read)
        }
        "input_audio" | "video_url" => return Err(ConvertError::Requires(Requirement::AudioVideo)),
        "file" => return Err(ConvertError::Requires(Requirement::Documents)),
        _ => return Err(NATIVE),
    };
    fields.done_in(Place::Part, gate)?;
    Ok(block)
}

fn read_call(call: Value, gate: &mut Gate<'_>) -> Result<ToolCall, ConvertError> {
    let mut fields = Fields::of(call, "a tool call")?;
    let id = fields.needed_text("id")?;
    let kind = fields.text("type")?;
    let call = match kind.as_deref() {
        None | Some("function") => {
            let mut function = fields.object("function", "a tool call")?.ok_or(fields.wrong("has no function"))?;
            let input = Input::Json(function.text("arguments")?.unwrap_or_default());
            let name = function.needed_text("name")?;
            function.done()?;
            ToolCall { id, name, input }
        }
        Some("custom") => {
            gate.require(Requirement::CustomTools)?;
            let mut custom = fields.object("custom", "a tool call")?.ok_or(fields.wrong("has no input"))?;
            let input = Input::Free(custom.text("input")?.unwrap_or_default());
            let name = custom.needed_text("name")?;
            custom.done()?;
            ToolCall { id, name, input }
        }
        Some(_) => return Err(NATIVE),
    };
    // Its place in the stream it came from; some clients send it back.
    fields.count("index")?;
    // Google's compatible API keeps the signature of the thinking here.
    if fields.take_unless("extra_content", is_nothing).is_some() {
        gate.leave_out(Requirement::Signatures)?;
    }
    fields.done()?;
    Ok(call)
}
