//! Validates a conversation as Anthropic does.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{answer::signature, api_error::ApiError};

/// Validates roles, content and order of messages. `system_may_follow` allows system messages within the conversation,
/// which a beta header enables.
///
/// # Errors
/// [`ApiError`] for tool calls without results in the next message, results without calls, thinking with the signature
/// of another model, and empty texts.
pub(super) fn validate(messages: &[Value], model: &str, system_may_follow: bool) -> Result<(), ApiError> {
    // Calls that wait for their results.
    let mut open_calls: BTreeSet<&str> = BTreeSet::new();
    let last_index = messages.len() - 1;
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        match role {
            "system" if system_may_follow => continue,
            "user" | "assistant" => {}
            _ => {
                return Err(ApiError::invalid(format!("messages.{index}.role: Input should be 'user' or 'assistant'")));
            }
        }
        let may_be_empty = role == "assistant" && index == last_index;
        let blocks = content_blocks(message, index, may_be_empty)?;
        let results = result_ids(blocks, index, &open_calls)?;
        if let Some(missing_id) = open_calls.iter().find(|id| !results.contains(*id)) {
            return Err(ApiError::invalid(format!(
                "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {missing_id}. \
                 Each `tool_use` block must have a corresponding `tool_result` block in the next message."
            )));
        }
        open_calls.clear();
        for (block, part_index) in blocks.iter().zip(0_usize..) {
            validate_block(block, role, model, &format!("messages.{index}.content.{part_index}"))?;
            if block["type"] == "tool_use" {
                open_calls.insert(block["id"].as_str().unwrap_or_default());
            }
        }
    }
    match open_calls.first() {
        None => Ok(()),
        Some(id) => Err(ApiError::invalid(format!(
            "messages.{last_index}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}."
        ))),
    }
}

/// Returns the content blocks of the message at `index` of a Messages request; none if its content is a text.
///
/// # Errors
/// [`ApiError`] if the content is missing, or if it is empty and `may_be_empty` is false.
fn content_blocks(message: &Value, index: usize, may_be_empty: bool) -> Result<&[Value], ApiError> {
    match &message["content"] {
        Value::String(text) if !text.is_empty() => Ok(&[]),
        Value::Array(blocks) if !blocks.is_empty() => Ok(blocks),
        Value::String(_) | Value::Array(_) if may_be_empty => Ok(&[]),
        Value::String(_) | Value::Array(_) => {
            let role = message["role"].as_str().unwrap_or_default();
            Err(ApiError::invalid(format!("messages.{index}: {role} messages must have non-empty content")))
        }
        _ => Err(ApiError::invalid(format!("messages.{index}.content: Field required"))),
    }
}

/// Returns the call ids of the tool results in the message at `index` of a Messages request.
///
/// # Errors
/// [`ApiError`] if a result belongs to none of `open_calls`, the calls in the previous message, or if a call has two
/// results.
fn result_ids<'a>(
    blocks: &'a [Value],
    index: usize,
    open_calls: &BTreeSet<&str>,
) -> Result<BTreeSet<&'a str>, ApiError> {
    let mut ids = BTreeSet::new();
    for (part_index, block) in blocks.iter().enumerate().filter(|(_, block)| block["type"] == "tool_result") {
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        if !open_calls.contains(id) {
            return Err(ApiError::invalid(format!(
                "messages.{index}.content.{part_index}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
                 `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )));
        }
        if !ids.insert(id) {
            return Err(ApiError::invalid(format!(
                "messages.{index}.content.{part_index}: each tool_use must have a single result. Found multiple `tool_result` \
                 blocks with id: {id}"
            )));
        }
    }
    Ok(ids)
}

/// Validates a content block of a Messages request, in a message with this role. `path` is the JSON path of the block,
/// for the error.
///
/// # Errors
/// [`ApiError`] if a required member is missing, the text is empty, the role may not have such a block, or `model` did
/// not create the signature.
fn validate_block(block: &Value, role: &str, model: &str, path: &str) -> Result<(), ApiError> {
    let check_field = |field: &str| match block.get(field) {
        Some(value) if !value.is_null() => Ok(()),
        _ => Err(ApiError::invalid(format!("{path}.{field}: Field required"))),
    };
    let kind = block["type"].as_str().unwrap_or_default();
    let is_assistant_only = ["thinking", "redacted_thinking", "tool_use"].contains(&kind);
    if is_assistant_only && role != "assistant" {
        return Err(ApiError::invalid(format!("{path}: `{kind}` blocks can only be in `assistant` messages")));
    }
    match kind {
        "" => Err(ApiError::invalid(format!("{path}.type: Field required"))),
        "text" if block["text"].as_str().is_none_or(str::is_empty) => {
            Err(ApiError::invalid(format!("{path}: text content blocks must be non-empty")))
        }
        "tool_use" => ["id", "name", "input"].into_iter().try_for_each(check_field).and_then(|()| {
            if block["input"].is_object() {
                return Ok(());
            }
            Err(ApiError::invalid(format!("{path}.tool_use.input: Input should be a valid dictionary")))
        }),
        "thinking" => {
            ["thinking", "signature"].into_iter().try_for_each(check_field)?;
            check_signature(&block["signature"], kind, model, path)
        }
        "redacted_thinking" => check_field("data").and_then(|()| check_signature(&block["data"], kind, model, path)),
        _ => Ok(()),
    }
}

/// Checks that a thinking block of Messages was signed by `model`. `block_signature` is its signature, `kind` its type, and
/// `path` that of the block, for the error.
fn check_signature(block_signature: &Value, kind: &str, model: &str, path: &str) -> Result<(), ApiError> {
    if block_signature.as_str() == Some(&signature(model)) {
        return Ok(());
    }
    let field = if kind == "thinking" { "signature" } else { "data" };
    Err(ApiError::invalid(format!("{path}: Invalid `{field}` in `{kind}` block")))
}
