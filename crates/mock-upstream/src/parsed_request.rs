//! The parts of a request that determine the response, and the checks that all APIs share.

use serde_json::Value;

use crate::api_error::ApiError;

/// A validated request, independent of the API.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParsedRequest {
    pub(crate) model: String,
    /// Whether the response is streamed.
    pub(crate) stream: bool,
    /// The text of the user's last message, which may have directives.
    pub(crate) user_text: String,
    /// The total length of the tool results at the end of the conversation; `None` without one.
    pub(crate) result_bytes: Option<usize>,
    /// The tools that the model may call.
    pub(crate) tools: Vec<Tool>,
    /// The schema of the JSON to respond with, null for any JSON; `None` for a response in text.
    pub(crate) json_schema: Option<Value>,
    /// The limit of output tokens.
    pub(crate) max_output_tokens: Option<u64>,
    /// Whether a stream ends with the usage.
    pub(crate) include_usage: bool,
    pub(crate) cache: CacheUse,
    /// The length of the request's body.
    pub(crate) request_bytes: usize,
}

/// The use that a request makes of the prompt cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CacheUse {
    /// None: a first request without cache markers.
    #[default]
    Nothing,
    /// A first request with cache markers, so half of it is written to the cache.
    Marked,
    /// A later request of a conversation, so half of it is read from the cache.
    Continued,
}

impl CacheUse {
    pub(crate) const fn from_continued(continued: bool) -> Self {
        if continued { Self::Continued } else { Self::Nothing }
    }
}

/// A tool that a request defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// The namespace of the tool, in the Responses API.
    pub(crate) namespace: Option<String>,
    /// Whether it is a custom tool of `OpenAI`, which takes free text instead of JSON.
    pub(crate) custom: bool,
}

impl Tool {
    pub(crate) fn function(name: impl Into<String>) -> Self {
        Self { name: name.into(), namespace: None, custom: false }
    }
}

/// Returns a required string; an error if it is missing, empty or of another type.
pub(crate) fn text_field<'a>(body: &'a Value, name: &str) -> Result<&'a str, ApiError> {
    match &body[name] {
        Value::String(text) if !text.is_empty() => Ok(text),
        Value::Null => Err(ApiError::invalid_field(name, format!("{name}: Field required"))),
        _ => Err(ApiError::invalid_field(name, format!("{name}: Input should be a valid string"))),
    }
}

/// Returns a required list; an error if it is missing, empty or of another type.
pub(crate) fn list_field<'a>(body: &'a Value, name: &str) -> Result<&'a [Value], ApiError> {
    match &body[name] {
        Value::Array(list) if !list.is_empty() => Ok(list),
        Value::Array(_) => Err(ApiError::invalid_field(name, format!("{name}: at least one item is required"))),
        Value::Null => Err(ApiError::invalid_field(name, format!("{name}: Field required"))),
        _ => Err(ApiError::invalid_field(name, format!("{name}: Input should be a valid list"))),
    }
}

/// Returns a list, empty if it is missing; an error for another type.
pub(crate) fn optional_list<'a>(body: &'a Value, name: &str) -> Result<&'a [Value], ApiError> {
    match &body[name] {
        Value::Array(list) => Ok(list),
        Value::Null => Ok(&[]),
        _ => Err(ApiError::invalid_field(name, format!("{name}: Input should be a valid list"))),
    }
}

/// Rejects fields of other APIs, which an incomplete conversion leaves in the request.
pub(crate) fn reject_foreign_fields(body: &Value, names: &[&str]) -> Result<(), ApiError> {
    match names.iter().find(|name| body.get(**name).is_some()) {
        None => Ok(()),
        Some(name) => Err(ApiError::invalid_field(name, format!("{name}: Extra inputs are not permitted"))),
    }
}

/// Checks length and characters of a tool name as the providers do: ASCII letters, digits and `other_characters`.
/// `field` is the path of the name, for the error.
pub(crate) fn check_tool_name(
    field: &str,
    name: &str,
    max_length: usize,
    other_characters: &str,
) -> Result<(), ApiError> {
    let fits = |character: char| character.is_ascii_alphanumeric() || other_characters.contains(character);
    if !name.is_empty() && name.len() <= max_length && name.chars().all(fits) {
        return Ok(());
    }
    Err(ApiError::invalid_field(
        field,
        format!("{field}: String should match pattern '^[a-zA-Z0-9{other_characters}]{{1,{max_length}}}$'"),
    ))
}

/// Returns the total length in bytes of a string, or of the texts in a list of content parts; 0 for other values.
pub(crate) fn text_length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => {
            list.iter().map(|part| if part.is_string() { text_length(part) } else { text_length(&part["text"]) }).sum()
        }
        _ => 0,
    }
}
