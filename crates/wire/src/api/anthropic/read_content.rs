//! Parses the content blocks of Anthropic's messages.

use contracts::Requirement;
use serde_json::{Map, Value};

use crate::{
    convert::{
        ConvertError,
        canonical::request::{Block, Image, Input, Role, ToolCall, ToolResult},
        fields::{Fields, is_falsy},
        gate::FeatureGate,
    },
    fields::ObjectKind,
};

const NATIVE: ConvertError = ConvertError::Requires(Requirement::Native);

/// Parses content in which only text is allowed.
pub(super) fn texts(content: Value, gate: &mut FeatureGate<'_>) -> Result<Vec<String>, ConvertError> {
    let text = |block| match block {
        Block::Text(text) => Ok(text),
        _ => Err(NATIVE),
    };
    blocks(content, Role::System, gate)?.into_iter().map(text).collect()
}

/// Parses the content of a message with this role: a string or a list of blocks.
pub(super) fn blocks(content: Value, role: Role, gate: &mut FeatureGate<'_>) -> Result<Vec<Block>, ConvertError> {
    let list = match content {
        Value::String(text) => return Ok(vec![Block::Text(text)]),
        Value::Array(list) => list,
        _ => return Err(ConvertError::malformed("the content of a message", "is neither text nor a list")),
    };
    let mut blocks = Vec::with_capacity(list.len());
    for value in list {
        blocks.extend(read_block(value, role, gate)?);
    }
    Ok(blocks)
}

fn read_block(value: Value, role: Role, gate: &mut FeatureGate<'_>) -> Result<Option<Block>, ConvertError> {
    let mut fields = Fields::of(value, "a block of a message")?;
    let kind = fields.required_text("type")?;
    let block = match (kind.as_str(), role) {
        ("text", _) => {
            if fields.take_unless("citations", is_falsy).is_some() {
                return Err(NATIVE);
            }
            Some(Block::Text(fields.required_text("text")?))
        }
        ("image", Role::User) => Some(Block::Image(read_image(&mut fields, gate)?)),
        ("tool_use", Role::Assistant) => Some(Block::ToolCall(read_call(&mut fields)?)),
        ("tool_result", Role::User) => Some(Block::ToolResult(read_result(&mut fields, gate)?)),
        ("thinking" | "redacted_thinking", Role::Assistant) => {
            gate.drop_feature(Requirement::Signatures)?;
            for name in ["thinking", "signature", "data"] {
                fields.take(name);
            }
            None
        }
        ("document", _) => return Err(ConvertError::Requires(Requirement::Documents)),
        ("container_upload" | "server_tool_use" | "mcp_tool_use" | "mcp_tool_result", _) => {
            return Err(ConvertError::Requires(Requirement::ServerTools));
        }
        (other, _) if other.ends_with("_tool_result") => {
            return Err(ConvertError::Requires(Requirement::ServerTools));
        }
        _ => return Err(NATIVE),
    };
    fields.finish_known(ObjectKind::Part, gate)?;
    Ok(block)
}

fn read_image(fields: &mut Fields, gate: &FeatureGate<'_>) -> Result<Image, ConvertError> {
    let mut source = fields.object("source", "the source of an image")?.ok_or(fields.wrong("has no source"))?;
    let image = match source.required_text("type")?.as_str() {
        "base64" => {
            Image::Inline { media_type: source.required_text("media_type")?, data: source.required_text("data")? }
        }
        "url" => {
            let image = Image::of_url(source.required_text("url")?);
            if matches!(image, Image::Remote(_)) {
                gate.require(Requirement::RemoteImages)?;
            }
            image
        }
        "file" => return Err(ConvertError::Requires(Requirement::StoredImages)),
        _ => return Err(NATIVE),
    };
    source.finish()?;
    Ok(image)
}

fn read_call(fields: &mut Fields) -> Result<ToolCall, ConvertError> {
    let by_the_model = |caller: &Value| caller.get("type").is_some_and(|kind| kind == "direct");
    if fields.take_unless("caller", by_the_model).is_some() {
        return Err(NATIVE);
    }
    let input = match fields.take("input") {
        None => Map::new(),
        Some(Value::Object(input)) => input,
        Some(_) => return Err(fields.wrong("calls a tool with something that is not an object")),
    };
    Ok(ToolCall { id: fields.required_text("id")?, name: fields.required_text("name")?, input: Input::Object(input) })
}

fn read_result(fields: &mut Fields, gate: &mut FeatureGate<'_>) -> Result<ToolResult, ConvertError> {
    let content = match fields.take("content") {
        None => Vec::new(),
        Some(content) => blocks(content, Role::User, gate)?,
    };
    for block in &content {
        match block {
            Block::Text(_) => {}
            Block::Image(_) => gate.require(Requirement::ToolImages)?,
            _ => return Err(NATIVE),
        }
    }
    let failed = fields.flag("is_error")?.unwrap_or(false);
    Ok(ToolResult { call: fields.required_text("tool_use_id")?, content, failed })
}
