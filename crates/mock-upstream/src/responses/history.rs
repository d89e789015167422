//! Validates a list of items as `OpenAI` does, and finds the user's last message.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{answer::signature, api_error::ApiError, parsed_request::text_length};

/// The types of conversation items that are tool calls.
const CALL_TYPES: [&str; 4] = ["function_call", "custom_tool_call", "local_shell_call", "tool_search_call"];
/// The types of conversation items that are results of tool calls.
const RESULT_TYPES: [&str; 4] =
    ["function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output"];

/// Returns the type of a Responses item; an item without a type is a message.
fn kind(item: &Value) -> &str {
    // An item without a type is a message.
    item["type"].as_str().unwrap_or("message")
}

/// Returns whether a Responses item is output of the model: a message, a tool call, or reasoning.
pub(super) fn is_model_output(item: &Value) -> bool {
    CALL_TYPES.contains(&kind(item)) || item["role"] == "assistant" || kind(item) == "reasoning"
}

/// Validates the conversation of a Responses request as `OpenAI` does. With `has_previous_response`, results may belong
/// to calls that the server stored.
///
/// # Errors
/// [`ApiError`] for invalid roles and content, tool calls without results, results without calls, and reasoning of
/// other models.
pub(super) fn validate(items: &[Value], model: &str, has_previous_response: bool) -> Result<(), ApiError> {
    let mut call_ids: BTreeSet<&str> = BTreeSet::new();
    let mut result_ids: BTreeSet<&str> = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        let field = |what: &str| format!("input[{index}].{what}");
        let id = item["call_id"].as_str().unwrap_or_default();
        match kind(item) {
            "message" => validate_message(item, index)?,
            "reasoning" => check_signature(item, model, &field("encrypted_content"))?,
            call if CALL_TYPES.contains(&call) => {
                if id.is_empty() {
                    return Err(ApiError::invalid_field(
                        &field("call_id"),
                        format!("Missing required parameter: '{}'.", field("call_id")),
                    ));
                }
                call_ids.insert(id);
            }
            result if RESULT_TYPES.contains(&result) => {
                if !call_ids.contains(id) && !has_previous_response {
                    return Err(ApiError::invalid_field(
                        "input",
                        format!("No tool call found for function call output with call_id {id}."),
                    ));
                }
                result_ids.insert(id);
            }
            _ => {}
        }
    }
    match call_ids.difference(&result_ids).next() {
        None => Ok(()),
        Some(id) => Err(ApiError::invalid_field("input", format!("No tool output found for function call {id}."))),
    }
}

/// Checks role and content of the message item at `index` of a Responses request.
///
/// # Errors
/// [`ApiError`] for an unknown role, and for missing or invalid content.
fn validate_message(item: &Value, index: usize) -> Result<(), ApiError> {
    let role = item["role"].as_str().unwrap_or_default();
    if !["user", "assistant", "system", "developer"].contains(&role) {
        return Err(ApiError::invalid_field(
            &format!("input[{index}].role"),
            format!("Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'."),
        ));
    }
    check_content(item, role, &format!("input[{index}].content"))
}

/// Checks that, in a Responses request, texts of the user have the type `input_text` and those of the model
/// `output_text`. `field` is the path of the content, for the error.
fn check_content(item: &Value, role: &str, field: &str) -> Result<(), ApiError> {
    let wrong_type = if role == "assistant" { "input_text" } else { "output_text" };
    match &item["content"] {
        Value::String(_) => Ok(()),
        Value::Array(parts) => match parts.iter().position(|part| part["type"] == wrong_type || part["type"] == "text")
        {
            None => Ok(()),
            Some(index) => Err(ApiError::invalid_field(
                &format!("{field}[{index}]"),
                format!("Invalid value: {}.", parts.get(index).map_or(&Value::Null, |part| &part["type"])),
            )),
        },
        _ => Err(ApiError::invalid_field(field, format!("Missing required parameter: '{field}'."))),
    }
}

/// Checks that the encrypted content of a Responses reasoning item, if it has any, is the signature of the model.
/// `field` is its path, for the error.
fn check_signature(item: &Value, model: &str, field: &str) -> Result<(), ApiError> {
    match &item["encrypted_content"] {
        Value::String(text) if *text != signature(model) => Err(ApiError::invalid_field(
            field,
            format!(
                "The encrypted content for item {} could not be verified.",
                item["id"].as_str().unwrap_or_default()
            ),
        )
        .with_code("invalid_encrypted_content")),
        _ => Ok(()),
    }
}

/// Returns the text of the user's last message in a Responses request; empty without one.
pub(super) fn last_user_text(items: &[Value]) -> String {
    let last_message = items.iter().rfind(|item| kind(item) == "message" && item["role"] == "user");
    match last_message.map(|item| &item["content"]) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Returns the total length in bytes of the tool results at the end of a Responses conversation; `None` without one.
/// Developer and system messages after them are ignored.
pub(super) fn trailing_result_bytes(items: &[Value]) -> Option<usize> {
    let without_instructions =
        items.iter().rev().filter(|item| item["role"] != "developer" && item["role"] != "system");
    let results: Vec<_> = without_instructions.take_while(|item| RESULT_TYPES.contains(&kind(item))).collect();
    (!results.is_empty()).then(|| results.iter().map(|item| text_length(&item["output"])).sum())
}
