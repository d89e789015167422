//! Parses the content blocks of a Messages request to the canonical form, which is independent of the API.

use contracts::Requirement;
use serde_json::{Map, Value};

use crate::{
    convert::{
        ConvertError,
        canonical::request::{Block, Image, Role, ToolCall, ToolInput, ToolResult},
        fields::{ObjectReader, is_falsy},
        gate::FeatureGate,
    },
    fields::ObjectKind,
};

/// The error for content that cannot be converted to any other API.
const NATIVE: ConvertError = ConvertError::Requires(Requirement::Native);

/// Parses content of a Messages request in which only text is allowed, and returns the texts.
///
/// # Errors
/// [`ConvertError::Requires`] if it contains a block other than text, and the errors of `blocks`.
pub(super) fn texts(content: Value, gate: &mut FeatureGate<'_>) -> Result<Vec<String>, ConvertError> {
    let text = |block| match block {
        Block::Text(text) => Ok(text),
        _ => Err(NATIVE),
    };
    blocks(content, Role::System, gate)?.into_iter().map(text).collect()
}

/// Parses the content of a message in a Messages request, a string or a list of blocks. `role` is the role of the
/// message. Thinking is dropped.
///
/// # Errors
/// [`ConvertError::Malformed`] if the content is neither a string nor a list, and the errors of `read_block`.
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

/// Parses a content block of a Messages request, in a message with this role; `None` for thinking, which is dropped.
///
/// # Errors
/// [`ConvertError::Requires`] if the block is not supported, or not allowed in this role; [`ConvertError::Malformed`]
/// if a required member is missing or has another type.
fn read_block(value: Value, role: Role, gate: &mut FeatureGate<'_>) -> Result<Option<Block>, ConvertError> {
    let mut fields = ObjectReader::new(value, "a block of a message")?;
    let kind = fields.take_required_string("type")?;
    let block = match (kind.as_str(), role) {
        ("text", _) => {
            if fields.take_unless("citations", is_falsy).is_some() {
                return Err(NATIVE);
            }
            Some(Block::Text(fields.take_required_string("text")?))
        }
        ("image", Role::User) => Some(Block::Image(read_image(&mut fields, gate)?)),
        ("tool_use", Role::Assistant) => Some(Block::ToolCall(read_call(&mut fields)?)),
        ("tool_result", Role::User) => Some(Block::ToolResult(read_result(&mut fields, gate)?)),
        ("thinking" | "redacted_thinking", Role::Assistant) => {
            gate.drop_feature(Requirement::EarlierThinking)?;
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

/// Parses the `source` of an image in a Messages request: base64 data or a URL.
///
/// # Errors
/// [`ConvertError::Requires`] for files stored by the provider, for unknown types of sources, and for a remote image if
/// the provider's API does not fetch images.
fn read_image(fields: &mut ObjectReader, gate: &FeatureGate<'_>) -> Result<Image, ConvertError> {
    let mut source =
        fields.take_object("source", "the source of an image")?.ok_or(fields.malformed("has no source"))?;
    let image = match source.take_required_string("type")?.as_str() {
        "base64" => Image::Inline {
            media_type: source.take_required_string("media_type")?,
            data: source.take_required_string("data")?,
        },
        "url" => {
            let image = Image::from_url(source.take_required_string("url")?);
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

/// Parses a `tool_use` block of a Messages request. A missing `input` becomes an empty object.
///
/// # Errors
/// [`ConvertError::Malformed`] if the input is not an object, or the id or name is missing; [`ConvertError::Requires`]
/// if the call was made by the provider's own code.
fn read_call(fields: &mut ObjectReader) -> Result<ToolCall, ConvertError> {
    let is_called_by_model = |caller: &Value| caller.get("type").is_some_and(|kind| kind == "direct");
    if fields.take_unless("caller", is_called_by_model).is_some() {
        return Err(NATIVE);
    }
    let input = match fields.take("input") {
        None => Map::new(),
        Some(Value::Object(input)) => input,
        Some(_) => return Err(fields.malformed("calls a tool with something that is not an object")),
    };
    Ok(ToolCall {
        id: fields.take_required_string("id")?,
        name: fields.take_required_string("name")?,
        input: ToolInput::Object(input),
    })
}

/// Parses a `tool_result` block of a Messages request. Its content may have texts and images.
///
/// # Errors
/// [`ConvertError::Requires`] if it has an image and the provider's API does not support images in results, or if it
/// has other blocks.
fn read_result(fields: &mut ObjectReader, gate: &mut FeatureGate<'_>) -> Result<ToolResult, ConvertError> {
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
    let has_failed = fields.take_bool("is_error")?.unwrap_or(false);
    Ok(ToolResult { call_id: fields.take_required_string("tool_use_id")?, content, has_failed })
}
