//! Parses the messages of a chat completions request to the canonical form, which is independent of the API.

use contracts::Requirement;
use serde_json::Value;

use crate::{
    convert::{
        ConvertError,
        canonical::request::{Block, Image, Message, Role, ToolCall, ToolInput, ToolResult},
        fields::{ObjectReader, is_falsy},
        gate::FeatureGate,
    },
    fields::ObjectKind,
};

/// The error for content that cannot be converted to any other API.
const NATIVE: ConvertError = ConvertError::Requires(Requirement::Native);

/// Parses a message of a chat completions request. A tool result becomes a message of the user, and thinking is
/// dropped.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown roles, for members that the role does not allow, and for features that the
/// provider's API does not support; [`ConvertError::Malformed`] if a required member is missing or has another type.
pub(super) fn read_message(message: Value, gate: &mut FeatureGate<'_>) -> Result<Message, ConvertError> {
    let mut fields = ObjectReader::new(message, "a message")?;
    let role_name = fields.take_required_string("role")?;
    let (role, is_result) = match role_name.as_str() {
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
        let call = fields.take_required_string("tool_call_id")?;
        for block in &blocks {
            if matches!(block, Block::Image(_)) {
                gate.require(Requirement::ToolImages)?;
            }
        }
        blocks = vec![Block::ToolResult(ToolResult { call_id: call, content: blocks, has_failed: false })];
    } else if fields.take("name").is_some() {
        return Err(NATIVE);
    }
    for call in fields.take_list("tool_calls")? {
        if role != Role::Assistant {
            return Err(NATIVE);
        }
        blocks.push(Block::ToolCall(read_call(call, gate)?));
    }
    for name in ["refusal", "annotations", "function_call"] {
        if fields.take_unless(name, is_falsy).is_some() {
            return Err(NATIVE);
        }
    }
    for name in ["reasoning", "reasoning_content", "reasoning_details"] {
        if fields.take_unless(name, is_falsy).is_some() {
            gate.drop_feature(Requirement::EarlierThinking)?;
        }
    }
    fields.finish_known(ObjectKind::Message, gate)?;
    Ok(Message { role, blocks })
}

/// Parses the content of a message in a chat completions request, a string or a list of parts; an empty string results
/// in no blocks.
///
/// # Errors
/// [`ConvertError::Malformed`] if the content is of another type, and the errors of `read_part`.
fn read_content(content: Value, role: Role, gate: &mut FeatureGate<'_>) -> Result<Vec<Block>, ConvertError> {
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

/// Parses a content part of a chat completions request, in a message with this role: a text, or an image of the user.
///
/// # Errors
/// [`ConvertError::Requires`] for audio, video, files and unknown types, and for a remote image if the provider's API
/// does not fetch images.
fn read_part(part: Value, role: Role, gate: &mut FeatureGate<'_>) -> Result<Block, ConvertError> {
    let mut fields = ObjectReader::new(part, "a part of a message")?;
    let block = match fields.take_required_string("type")?.as_str() {
        "text" => Block::Text(fields.take_required_string("text")?),
        "image_url" if role == Role::User => {
            let mut image = fields.take_object("image_url", "an image")?.ok_or(fields.malformed("has no image"))?;
            // The resolution of the image, which has no counterpart in other APIs.
            image.take_string("detail")?;
            let source = Image::from_url(image.take_required_string("url")?);
            image.finish()?;
            if matches!(source, Image::Remote(_)) {
                gate.require(Requirement::RemoteImages)?;
            }
            Block::Image(source)
        }
        "input_audio" | "video_url" => return Err(ConvertError::Requires(Requirement::AudioVideo)),
        "file" => return Err(ConvertError::Requires(Requirement::Documents)),
        _ => return Err(NATIVE),
    };
    fields.finish_known(ObjectKind::Part, gate)?;
    Ok(block)
}

/// Parses a tool call of the model in a chat completions request. Its `index` is ignored, and the signature in
/// `extra_content` is dropped.
///
/// # Errors
/// [`ConvertError::Requires`] for calls of custom tools if the provider's API has none, and for unknown types;
/// [`ConvertError::Malformed`] if the id, the name or the function is missing.
fn read_call(call: Value, gate: &mut FeatureGate<'_>) -> Result<ToolCall, ConvertError> {
    let mut fields = ObjectReader::new(call, "a tool call")?;
    let id = fields.take_required_string("id")?;
    let kind = fields.take_string("type")?;
    let call = match kind.as_deref() {
        None | Some("function") => {
            let mut function =
                fields.take_object("function", "a tool call")?.ok_or(fields.malformed("has no function"))?;
            let input = ToolInput::Json(function.take_string("arguments")?.unwrap_or_default());
            let name = function.take_required_string("name")?;
            function.finish()?;
            ToolCall { id, name, input }
        }
        Some("custom") => {
            gate.require(Requirement::CustomTools)?;
            let mut custom = fields.take_object("custom", "a tool call")?.ok_or(fields.malformed("has no input"))?;
            let input = ToolInput::Free(custom.take_string("input")?.unwrap_or_default());
            let name = custom.take_required_string("name")?;
            custom.finish()?;
            ToolCall { id, name, input }
        }
        Some(_) => return Err(NATIVE),
    };
    // The position of the call in its stream, which some clients send back.
    fields.take_count("index")?;
    // The signature of the thinking, in Google's compatible API.
    if fields.take_unless("extra_content", is_falsy).is_some() {
        gate.drop_feature(Requirement::EarlierThinking)?;
    }
    fields.finish()?;
    Ok(call)
}
