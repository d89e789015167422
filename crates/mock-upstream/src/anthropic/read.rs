//! Parses a Messages request as strictly as Anthropic does.

use hyper::HeaderMap;
use serde_json::Value;

use super::history;
use crate::{
    api_error::ApiError,
    parsed_request::{
        CacheUse, ParsedRequest, Tool, check_tool_name, list_field, optional_list, reject_foreign_fields, text_field,
        text_length,
    },
};

/// Top-level fields of other APIs, which a Messages request must not have.
const FOREIGN_FIELDS: &[&str] = &[
    "stream_options",
    "max_completion_tokens",
    "max_output_tokens",
    "frequency_penalty",
    "presence_penalty",
    "response_format",
    "reasoning_effort",
    "reasoning",
    "stop",
    "input",
    "instructions",
    "store",
    "contents",
    "generationConfig",
];

/// Validates and parses a Messages request; `length` is the size of the body in bytes.
///
/// # Errors
/// [`ApiError`] with status 400 if the request is invalid, or has no header `anthropic-version`.
pub(crate) fn parse_request(headers: &HeaderMap, body: &Value, length: usize) -> Result<ParsedRequest, ApiError> {
    if !headers.contains_key("anthropic-version") {
        return Err(ApiError::invalid("anthropic-version: header is required"));
    }
    let model = text_field(body, "model")?.to_owned();
    let limit = limit(body)?;
    let messages = list_field(body, "messages")?;
    reject_foreign_fields(body, FOREIGN_FIELDS)?;
    validate_settings(body, limit)?;
    let allows_later_system = headers
        .get_all("anthropic-beta")
        .iter()
        .any(|value| value.to_str().is_ok_and(|names| names.contains("mid-conversation-system")));
    history::validate(messages, &model, allows_later_system)?;
    let last_message = messages.iter().rfind(|message| message["role"] != "system").unwrap_or(&Value::Null);
    let format = [&body["output_config"]["format"], &body["output_format"]];
    let schema = format.into_iter().find(|format| format["type"] == "json_schema");
    Ok(ParsedRequest {
        stream: body["stream"] == true,
        user_text: last_user_text(messages),
        result_bytes: result_bytes(last_message),
        tools: tools(body)?,
        json_schema: schema.map(|format| format["schema"].clone()),
        max_output_tokens: Some(limit),
        include_usage: true,
        cache: if messages.iter().any(|message| message["role"] == "assistant") {
            CacheUse::Continued
        } else if body.to_string().contains("\"cache_control\"") {
            CacheUse::Marked
        } else {
            CacheUse::Nothing
        },
        request_bytes: length,
        model,
    })
}

/// Returns `max_tokens` of a Messages request, the limit of output tokens.
///
/// # Errors
/// [`ApiError`] if it is missing or not a positive integer.
fn limit(body: &Value) -> Result<u64, ApiError> {
    match &body["max_tokens"] {
        Value::Null => Err(ApiError::invalid("max_tokens: Field required")),
        Value::Number(number) => match number.as_u64() {
            Some(limit) if limit > 0 => Ok(limit),
            _ => Err(ApiError::invalid("max_tokens: Input should be greater than or equal to 1")),
        },
        _ => Err(ApiError::invalid("max_tokens: Input should be a valid integer")),
    }
}

/// Checks the temperature, the system prompt and the thinking settings of a Messages request, as Anthropic's
/// documentation of extended thinking requires. `limit` is the request's `max_tokens`.
///
/// # Errors
/// [`ApiError`] for invalid and contradictory settings.
fn validate_settings(body: &Value, limit: u64) -> Result<(), ApiError> {
    if body["temperature"].as_f64().is_some_and(|temperature| !(0.0..=1.0).contains(&temperature)) {
        return Err(ApiError::invalid("temperature: range: 0..1"));
    }
    if !matches!(body["system"], Value::Null | Value::String(_) | Value::Array(_)) {
        return Err(ApiError::invalid("system: Input should be a valid list"));
    }
    let thinking = &body["thinking"];
    if thinking["type"] != "enabled" {
        return Ok(());
    }
    match thinking["budget_tokens"].as_u64() {
        None => return Err(ApiError::invalid("thinking.enabled.budget_tokens: Field required")),
        Some(..1024) => {
            return Err(ApiError::invalid(
                "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
            ));
        }
        Some(budget) if budget >= limit => {
            return Err(ApiError::invalid("`max_tokens` must be greater than `thinking.budget_tokens`."));
        }
        Some(_) => {}
    }
    if ["any", "tool"].iter().any(|forcing_type| body["tool_choice"]["type"] == *forcing_type) {
        return Err(ApiError::invalid("Thinking may not be enabled when tool_choice forces tool use."));
    }
    Ok(())
}

/// Parses and validates the tool definitions of a Messages request.
///
/// # Errors
/// [`ApiError`] if a name is missing, invalid or repeated, or if a custom tool has no schema of an object.
fn tools(body: &Value) -> Result<Vec<Tool>, ApiError> {
    let mut tools: Vec<Tool> = Vec::new();
    for (index, tool) in optional_list(body, "tools")?.iter().enumerate() {
        let name =
            text_field(tool, "name").map_err(|_| ApiError::invalid(format!("tools.{index}.name: Field required")))?;
        check_tool_name(&format!("tools.{index}.name"), name, 128, "_-")?;
        let is_custom = matches!(tool["type"].as_str(), None | Some("custom"));
        if is_custom && tool["input_schema"]["type"] != "object" {
            return Err(ApiError::invalid(format!("tools.{index}.custom.input_schema: Field required")));
        }
        if tools.iter().any(|earlier_tool| earlier_tool.name == name) {
            return Err(ApiError::invalid("tools: Tool names must be unique."));
        }
        tools.push(Tool::function(name));
    }
    Ok(tools)
}

/// Returns the text of the user's last message in a Messages request; empty without one.
fn last_user_text(messages: &[Value]) -> String {
    let last_message = messages.iter().rfind(|message| message["role"] == "user");
    match last_message.map(|message| &message["content"]) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Returns the total length in bytes of the tool results in a message of a Messages request; `None` without one.
fn result_bytes(message: &Value) -> Option<usize> {
    let results: Vec<_> =
        message["content"].as_array()?.iter().filter(|block| block["type"] == "tool_result").collect();
    (!results.is_empty()).then(|| results.iter().map(|result| text_length(&result["content"])).sum())
}
