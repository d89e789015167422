//! Parses the items of a Responses request to canonical messages.

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

/// Parses the conversation of a Responses request, a string or a list of items, and appends it to `messages`.
///
/// # Errors
/// [`ConvertError::Malformed`] if the value is of another type, and the errors of `read_item`.
pub(super) fn read_input(
    input: Option<Value>,
    messages: &mut Vec<Message>,
    gate: &mut FeatureGate<'_>,
) -> Result<(), ConvertError> {
    match input {
        None => {}
        Some(Value::String(text)) => messages.push(Message { role: Role::User, blocks: vec![Block::Text(text)] }),
        Some(Value::Array(items)) => {
            for item in items {
                read_item(item, messages, gate)?;
            }
        }
        Some(_) => return Err(ConvertError::malformed("the input", "is neither text nor a list")),
    }
    Ok(())
}

/// Parses an item of a Responses request and appends it to the last of `messages`, or as a new message. Reasoning is
/// dropped.
///
/// # Errors
/// [`ConvertError::Requires`] for items of the provider and for features that the provider's API does not support;
/// [`ConvertError::Malformed`] if a required member is missing or has another type.
fn read_item(item: Value, messages: &mut Vec<Message>, gate: &mut FeatureGate<'_>) -> Result<(), ConvertError> {
    let mut fields = ObjectReader::new(item, "an item of the input")?;
    let kind = fields.take_string("type")?;
    let (role, block) = match kind.as_deref() {
        None | Some("message") => return read_message(fields, messages, gate),
        Some("function_call") => {
            let input = ToolInput::Json(fields.take_string("arguments")?.unwrap_or_default());
            (Role::Assistant, Block::ToolCall(read_call(&mut fields, input)?))
        }
        Some("custom_tool_call") => {
            gate.require(Requirement::CustomTools)?;
            let input = ToolInput::Free(fields.take_string("input")?.unwrap_or_default());
            (Role::Assistant, Block::ToolCall(read_call(&mut fields, input)?))
        }
        Some("function_call_output") => (Role::User, Block::ToolResult(read_result(&mut fields, gate)?)),
        Some("custom_tool_call_output") => {
            gate.require(Requirement::CustomTools)?;
            (Role::User, Block::ToolResult(read_result(&mut fields, gate)?))
        }
        Some("reasoning") => return gate.drop_feature(Requirement::EarlierThinking),
        Some("item_reference") => return Err(ConvertError::Requires(Requirement::StoredAnswers)),
        Some(kind) if kind.ends_with("_call") || kind.ends_with("_output") => {
            return Err(ConvertError::Requires(Requirement::ServerTools));
        }
        Some(_) => return Err(NATIVE),
    };
    fields.finish_known(ObjectKind::Item, gate)?;
    // Consecutive items of the model are one message in other APIs, and so are consecutive tool results.
    match messages.last_mut() {
        Some(last) if last.role == role && can_extend(&last.blocks, role) => last.blocks.push(block),
        _ => messages.push(Message { role, blocks: vec![block] }),
    }
    Ok(())
}

/// Returns whether a Responses item by `role` can be appended to a message with these blocks and the same role: always
/// for the model, and for the user if all blocks are tool results.
fn can_extend(blocks: &[Block], role: Role) -> bool {
    role == Role::Assistant || blocks.iter().all(|block| matches!(block, Block::ToolResult(_)))
}

/// Parses a message item of a Responses request and appends it to `messages`; consecutive messages of the model are
/// merged.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown roles, [`ConvertError::Malformed`] if the role or the content is missing.
fn read_message(
    mut fields: ObjectReader,
    messages: &mut Vec<Message>,
    gate: &mut FeatureGate<'_>,
) -> Result<(), ConvertError> {
    let role = match fields.take_required_string("role")?.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" | "developer" => Role::System,
        _ => return Err(NATIVE),
    };
    let content = fields.take("content").ok_or(fields.malformed("has no content"))?;
    fields.finish_known(ObjectKind::Message, gate)?;
    let blocks = read_content(content, role, gate)?;
    match messages.last_mut() {
        Some(last) if role == Role::Assistant && last.role == role => last.blocks.extend(blocks),
        _ => messages.push(Message { role, blocks }),
    }
    Ok(())
}

/// Parses the content of a message or the output of a tool in a Responses request, a string or a list of parts.
///
/// # Errors
/// [`ConvertError::Malformed`] if the value is of another type, and the errors of `read_part`.
fn read_content(content: Value, role: Role, gate: &mut FeatureGate<'_>) -> Result<Vec<Block>, ConvertError> {
    let parts = match content {
        Value::String(text) => return Ok(vec![Block::Text(text)]),
        Value::Array(parts) => parts,
        _ => return Err(ConvertError::malformed("the content of an item", "is neither text nor a list")),
    };
    parts.into_iter().map(|part| read_part(part, role, gate)).collect()
}

/// Parses a content part of a Responses request: a text, or an image of the user.
///
/// # Errors
/// [`ConvertError::Requires`] for images in the provider's storage, files, audio and unknown types, and for a remote
/// image if the provider's API does not fetch images.
fn read_part(part: Value, role: Role, gate: &mut FeatureGate<'_>) -> Result<Block, ConvertError> {
    let mut fields = ObjectReader::new(part, "a part of an item")?;
    let block = match fields.take_required_string("type")?.as_str() {
        "input_text" | "output_text" | "text" => {
            for name in ["annotations", "logprobs"] {
                if fields.take_unless(name, is_falsy).is_some() {
                    return Err(NATIVE);
                }
            }
            Block::Text(fields.take_required_string("text")?)
        }
        "input_image" if role == Role::User => {
            let Some(url) = fields.take_string("image_url")? else {
                return Err(ConvertError::Requires(Requirement::StoredImages));
            };
            let image = Image::from_url(url);
            if matches!(image, Image::Remote(_)) {
                gate.require(Requirement::RemoteImages)?;
            }
            Block::Image(image)
        }
        "input_file" => return Err(ConvertError::Requires(Requirement::Documents)),
        "input_audio" => return Err(ConvertError::Requires(Requirement::AudioVideo)),
        _ => return Err(NATIVE),
    };
    fields.finish_known(ObjectKind::Part, gate)?;
    Ok(block)
}

/// Takes the id and name of a tool call in a Responses request and returns the call with these arguments.
///
/// # Errors
/// [`ConvertError::Malformed`] if the id or name is missing.
fn read_call(fields: &mut ObjectReader, input: ToolInput) -> Result<ToolCall, ConvertError> {
    Ok(ToolCall { id: fields.take_required_string("call_id")?, name: fields.take_required_string("name")?, input })
}

/// Takes the id and output of a tool result in a Responses request; a missing output results in no content.
///
/// # Errors
/// [`ConvertError::Requires`] if it has an image and the provider's API does not support images in results.
fn read_result(fields: &mut ObjectReader, gate: &mut FeatureGate<'_>) -> Result<ToolResult, ConvertError> {
    let content = match fields.take("output") {
        None => Vec::new(),
        Some(output) => read_content(output, Role::User, gate)?,
    };
    if content.iter().any(|block| matches!(block, Block::Image(_))) {
        gate.require(Requirement::ToolImages)?;
    }
    Ok(ToolResult { call_id: fields.take_required_string("call_id")?, content, has_failed: false })
}
