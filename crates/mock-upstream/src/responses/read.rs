//! Parses a Responses request as strictly as `OpenAI` does.

use serde_json::Value;

use super::history;
use crate::{
    api_error::ApiError,
    parsed_request::{
        CacheUse, ParsedRequest, Tool, check_tool_name, optional_list, reject_foreign_fields, text_field,
    },
};

/// Top-level fields of other APIs, which a Responses request must not have.
const FOREIGN_FIELDS: &[&str] = &[
    "messages",
    "system",
    "max_tokens",
    "max_completion_tokens",
    "response_format",
    "reasoning_effort",
    "thinking",
    "stop",
    "stop_sequences",
    "contents",
    "generationConfig",
];

/// Validates and parses a request of the Responses API; `length` is the size of the body in bytes.
///
/// # Errors
/// [`ApiError`] with status 400 if the request is invalid.
pub(crate) fn parse_request(body: &Value, length: usize) -> Result<ParsedRequest, ApiError> {
    let model = text_field(body, "model")?.to_owned();
    reject_foreign_fields(body, FOREIGN_FIELDS)?;
    if body["stream_options"]["include_usage"].is_boolean() {
        return Err(ApiError::invalid_field(
            "stream_options.include_usage",
            "Unknown parameter: 'stream_options.include_usage'.",
        ));
    }
    let items = match &body["input"] {
        Value::Array(items) if items.is_empty() => {
            return Err(ApiError::invalid_field(
                "input",
                "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.",
            ));
        }
        Value::String(_) | Value::Array(_) => body["input"].as_array().map_or(&[][..], Vec::as_slice),
        _ => return Err(ApiError::invalid_field("input", "Missing required parameter: 'input'.")),
    };
    history::validate(items, &model, body["previous_response_id"].is_string())?;
    let mut tools = tools(optional_list(body, "tools")?, None)?;
    for item in items.iter().filter(|item| item["type"] == "additional_tools") {
        tools.extend(self::tools(optional_list(item, "tools")?, None)?);
    }
    let format = &body["text"]["format"];
    let schema = match format["type"].as_str() {
        Some("json_schema") => Some(format["schema"].clone()),
        Some("json_object") => Some(Value::Null),
        _ => None,
    };
    Ok(ParsedRequest {
        stream: body["stream"] == true,
        user_text: body["input"].as_str().map_or_else(|| history::last_user_text(items), str::to_owned),
        result_bytes: history::trailing_result_bytes(items),
        tools,
        json_schema: schema,
        max_output_tokens: body["max_output_tokens"].as_u64(),
        include_usage: true,
        cache: CacheUse::from_continued(items.iter().any(history::is_model_output)),
        request_bytes: length,
        model,
    })
}

/// Parses a list of tool definitions of a Responses request, with those in namespaces. `namespace` is the namespace
/// that contains the list; `None` for the list of the request. Tools that `OpenAI` runs itself are ignored.
///
/// # Errors
/// [`ApiError`] if a type is missing, or a name is missing or invalid.
fn tools(list: &[Value], namespace: Option<&str>) -> Result<Vec<Tool>, ApiError> {
    let mut tools = Vec::new();
    for (index, tool) in list.iter().enumerate() {
        let field = format!("tools[{index}].name");
        let missing_name = || ApiError::invalid_field(&field, format!("Missing required parameter: '{field}'."));
        match tool["type"].as_str() {
            Some(kind @ ("function" | "custom")) => {
                let name = text_field(tool, "name").map_err(|_| missing_name())?;
                check_tool_name(&field, name, 64, "_-")?;
                let namespace = namespace.map(str::to_owned);
                tools.push(Tool { name: name.to_owned(), namespace, custom: kind == "custom" });
            }
            Some("namespace") => {
                let name = text_field(tool, "name").map_err(|_| missing_name())?;
                tools.extend(self::tools(optional_list(tool, "tools")?, Some(name))?);
            }
            // Tools that OpenAI runs itself.
            Some(_) => {}
            None => return Err(ApiError::invalid_field("tools", "Missing required parameter: 'tools[].type'.")),
        }
    }
    Ok(tools)
}
