//! Parses a Chat Completions request as strictly as `OpenAI` does.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    api_error::ApiError,
    parsed_request::{
        CacheUse, ParsedRequest, Tool, check_tool_name, list_field, optional_list, reject_foreign_fields, text_field,
        text_length,
    },
};

/// Top-level fields of other APIs, which a Chat Completions request must not have.
const FOREIGN_FIELDS: &[&str] = &[
    "system",
    "max_output_tokens",
    "input",
    "instructions",
    "thinking",
    "output_config",
    "context_management",
    "stop_sequences",
    "contents",
    "generationConfig",
];

/// Validates and parses a Chat Completions request; `length` is the size of the body in bytes.
///
/// # Errors
/// [`ApiError`] with status 400 if the request is invalid.
pub(crate) fn parse_request(body: &Value, length: usize) -> Result<ParsedRequest, ApiError> {
    let model = text_field(body, "model")?.to_owned();
    let messages = list_field(body, "messages")?;
    reject_foreign_fields(body, FOREIGN_FIELDS)?;
    if body["stream_options"].is_object() && body["stream"] != true {
        return Err(ApiError::invalid_field(
            "stream_options",
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        ));
    }
    if !body["max_tokens"].is_null() && !body["max_completion_tokens"].is_null() {
        return Err(ApiError::invalid_field(
            "max_tokens",
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        ));
    }
    validate_history(messages)?;
    let format = &body["response_format"];
    let schema = match format["type"].as_str() {
        Some("json_schema") => Some(format["json_schema"]["schema"].clone()),
        Some("json_object") => Some(Value::Null),
        _ => None,
    };
    Ok(ParsedRequest {
        stream: body["stream"] == true,
        user_text: last_user_text(messages),
        result_bytes: trailing_result_bytes(messages),
        tools: tools(body)?,
        json_schema: schema,
        max_output_tokens: body["max_completion_tokens"].as_u64().or_else(|| body["max_tokens"].as_u64()),
        include_usage: body["stream_options"]["include_usage"] == true,
        cache: CacheUse::from_continued(messages.iter().any(|message| message["role"] == "assistant")),
        request_bytes: length,
        model,
    })
}

/// Validates the conversation of a Chat Completions request as `OpenAI` does.
///
/// # Errors
/// [`ApiError`] for invalid messages, for tool calls without results and for results without calls.
fn validate_history(messages: &[Value]) -> Result<(), ApiError> {
    let mut open_calls: BTreeSet<&str> = BTreeSet::new();
    for (index, message) in messages.iter().enumerate() {
        let role_field = format!("messages.[{index}].role");
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if !open_calls.remove(id) {
                return Err(ApiError::invalid_field(
                    &role_field,
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with \
                     'tool_calls'.",
                ));
            }
            continue;
        }
        check_no_open_calls(&open_calls, &role_field)?;
        let calls = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
        validate_content(message, calls, index)?;
        open_calls = call_ids(calls, index)?;
    }
    check_no_open_calls(&open_calls, "messages")
}

/// Checks the role of the message at `index` of a Chat Completions request, and that it has content or, only for the
/// assistant, tool calls or a refusal.
///
/// # Errors
/// [`ApiError`] for an unknown role, and for a message without content.
fn validate_content(message: &Value, calls: &[Value], index: usize) -> Result<(), ApiError> {
    let has_content = match message["role"].as_str().unwrap_or_default() {
        "assistant" => !message["content"].is_null() || !calls.is_empty() || !message["refusal"].is_null(),
        "system" | "developer" | "user" => !message["content"].is_null(),
        "function" => true,
        role => {
            return Err(ApiError::invalid_field(
                &format!("messages.[{index}].role"),
                format!(
                    "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."
                ),
            ));
        }
    };
    if has_content {
        return Ok(());
    }
    Err(ApiError::invalid_field(
        &format!("messages.[{index}].content"),
        "Invalid value for 'content': expected a string, got null.",
    ))
}

/// Returns the ids of the tool calls in the message at `index` of a Chat Completions request.
///
/// # Errors
/// [`ApiError`] if a call has no id of its own, or the arguments of a function are not a string.
fn call_ids(calls: &[Value], index: usize) -> Result<BTreeSet<&str>, ApiError> {
    let field = format!("messages.[{index}].tool_calls");
    let ids: BTreeSet<&str> = calls.iter().filter_map(|call| call["id"].as_str()).collect();
    if ids.len() != calls.len() {
        return Err(ApiError::invalid_field(&field, "Missing or repeated required parameter: 'tool_calls[].id'."));
    }
    let mut functions = calls.iter().filter(|call| call["type"] == "function");
    if functions.any(|call| !call["function"]["arguments"].is_string()) {
        return Err(ApiError::invalid_field(&field, "Invalid type for 'arguments': expected a string."));
    }
    Ok(ids)
}

/// Checks that no tool call of a Chat Completions conversation waits for its result.
///
/// # Errors
/// [`ApiError`] with the first of `open_calls`; `field` is the path of the message before which the result is missing.
fn check_no_open_calls(open_calls: &BTreeSet<&str>, field: &str) -> Result<(), ApiError> {
    match open_calls.first() {
        None => Ok(()),
        Some(id) => Err(ApiError::invalid_field(
            field,
            format!(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
                 'tool_call_id'. The following tool_call_ids did not have response messages: {id}"
            ),
        )),
    }
}

/// Parses and validates the tool definitions of a Chat Completions request.
///
/// # Errors
/// [`ApiError`] if a tool is neither a function nor a custom tool, or its name is missing or invalid.
fn tools(body: &Value) -> Result<Vec<Tool>, ApiError> {
    let mut tools = Vec::new();
    for (index, tool) in optional_list(body, "tools")?.iter().enumerate() {
        let kind = tool["type"].as_str().unwrap_or_default();
        if kind != "function" && kind != "custom" {
            return Err(ApiError::invalid_field(
                &format!("tools[{index}].type"),
                format!("Invalid value: '{kind}'. Supported values are: 'function' and 'custom'."),
            ));
        }
        let name = text_field(&tool[kind], "name").map_err(|_| {
            ApiError::invalid_field(&format!("tools[{index}].{kind}.name"), "Missing required parameter: 'name'.")
        })?;
        check_tool_name(&format!("tools[{index}].{kind}.name"), name, 64, "_-")?;
        tools.push(Tool { custom: kind == "custom", ..Tool::function(name) });
    }
    Ok(tools)
}

/// Returns the text of the user's last message in a Chat Completions request; empty without one.
fn last_user_text(messages: &[Value]) -> String {
    let last_message = messages.iter().rfind(|message| message["role"] == "user");
    match last_message.map(|message| &message["content"]) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Returns the total length in bytes of the tool results at the end of a Chat Completions conversation; `None` without
/// one.
fn trailing_result_bytes(messages: &[Value]) -> Option<usize> {
    let results: Vec<_> = messages.iter().rev().take_while(|message| message["role"] == "tool").collect();
    (!results.is_empty()).then(|| results.iter().map(|message| text_length(&message["content"])).sum())
}
