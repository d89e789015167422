//! Parses a `generateContent` request as strictly as Google does.

use serde_json::Value;

use super::history;
use crate::{
    api_error::ApiError,
    parsed_request::{
        CacheUse, ParsedRequest, Tool, check_tool_name, optional_list, reject_foreign_fields, text_field,
    },
};

/// Top-level fields of other APIs, which a `generateContent` request must not have.
const FOREIGN_FIELDS: &[&str] =
    &["messages", "system", "max_tokens", "input", "instructions", "stream", "temperature", "thinking"];

/// Keywords of JSON Schema that the field `parameters` does not support, but `parametersJsonSchema` does.
const UNSUPPORTED_KEYWORDS: &[&str] = &[
    "$schema",
    "$ref",
    "$defs",
    "additionalProperties",
    "const",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "oneOf",
    "allOf",
];

/// Validates and parses a `generateContent` request. `model` and `stream` are from its path; `length` is the size of
/// the body in bytes.
///
/// # Errors
/// [`ApiError`] with status 400 if the request is invalid.
pub(crate) fn parse_request(model: &str, stream: bool, body: &Value, length: usize) -> Result<ParsedRequest, ApiError> {
    let contents = match &body["contents"] {
        Value::Array(contents) if !contents.is_empty() => contents,
        _ => return Err(ApiError::invalid("* GenerateContentRequest.contents: contents is not specified")),
    };
    reject_foreign_fields(body, FOREIGN_FIELDS).map_err(|refusal| {
        ApiError::invalid(format!("Invalid JSON payload received. Unknown name: {}", refusal.message))
    })?;
    history::validate(contents, model)?;
    let settings = &body["generationConfig"];
    let requests_json = settings["responseMimeType"] == "application/json";
    let schema = ["responseJsonSchema", "responseSchema"].into_iter().find_map(|name| settings.get(name));
    if schema.is_some() && !requests_json {
        return Err(ApiError::invalid("response_mime_type must be 'application/json' when a response schema is set"));
    }
    Ok(ParsedRequest {
        model: model.to_owned(),
        stream,
        user_text: history::last_user_text(contents),
        result_bytes: history::trailing_result_bytes(contents),
        tools: tools(body)?,
        json_schema: requests_json.then(|| schema.cloned().unwrap_or_default()),
        max_output_tokens: settings["maxOutputTokens"].as_u64(),
        include_usage: true,
        cache: CacheUse::from_continued(contents.iter().any(|content| content["role"] == "model")),
        request_bytes: length,
    })
}

/// Parses the function declarations of all tools of a `generateContent` request.
///
/// # Errors
/// [`ApiError`] if a name is missing or invalid, or `parameters` have an unsupported keyword.
fn tools(body: &Value) -> Result<Vec<Tool>, ApiError> {
    let mut tools = Vec::new();
    for (index, group) in optional_list(body, "tools")?.iter().enumerate() {
        for (part_index, function) in optional_list(group, "functionDeclarations")?.iter().enumerate() {
            let path = format!("tools[{index}].function_declarations[{part_index}]");
            let name = text_field(function, "name")
                .map_err(|_| ApiError::invalid(format!("GenerateContentRequest.{path}.name: [FIELD_INVALID]")))?;
            check_tool_name(&format!("{path}.name"), name, 128, "_.:-")?;
            check_keywords(&function["parameters"], &path)?;
            tools.push(Tool::function(name));
        }
    }
    Ok(tools)
}

/// Checks that a schema in the field `parameters` of a Gemini function, with its subschemas, has none of
/// [`UNSUPPORTED_KEYWORDS`]. `path` is the JSON path of the function, for the error.
fn check_keywords(schema: &Value, path: &str) -> Result<(), ApiError> {
    if let Some(keyword) = UNSUPPORTED_KEYWORDS.iter().find(|keyword| schema.get(**keyword).is_some()) {
        return Err(ApiError::invalid(format!(
            "Invalid JSON payload received. Unknown name \"{keyword}\" at '{path}.parameters': Cannot find field."
        )));
    }
    let properties = schema["properties"].as_object().into_iter().flat_map(|properties| properties.values());
    properties.chain(schema.get("items")).try_for_each(|part| check_keywords(part, path))
}
