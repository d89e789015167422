//! The parts of a request that determine the response, and the checks that all APIs share.

use serde_json::Value;

use crate::api_error::ApiError;

/// A validated request, independent of the API: the properties that determine the generated response.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParsedRequest {
    /// The requested model.
    pub(crate) model: String,
    /// Whether the response is streamed.
    pub(crate) stream: bool,
    /// The text of the user's last message, which may have directives.
    pub(crate) user_text: String,
    /// The total length in bytes of the tool results at the end of the conversation; `None` without one.
    pub(crate) result_bytes: Option<usize>,
    /// The tools that the model may call.
    pub(crate) tools: Vec<Tool>,
    /// The schema of the JSON to respond with; `Some(null)` for any JSON, `None` for a response in text.
    pub(crate) json_schema: Option<Value>,
    /// The limit of output tokens; `None` if the request has none.
    pub(crate) max_output_tokens: Option<u64>,
    /// Whether a stream ends with the usage.
    pub(crate) include_usage: bool,
    /// The use of the prompt cache, which determines the cached tokens in the usage.
    pub(crate) cache: CacheUse,
    /// The length of the request's body in bytes, which determines the input tokens in the usage.
    pub(crate) request_bytes: usize,
}

/// The use of the prompt cache by a request, from which the cached tokens in the usage are derived.
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
    /// Returns the use of a request without cache markers; `continued` is whether the conversation has an earlier
    /// response.
    pub(crate) const fn from_continued(continued: bool) -> Self {
        if continued { Self::Continued } else { Self::Nothing }
    }
}

/// A tool that a request defines and that the response may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    /// The name of the tool.
    pub(crate) name: String,
    /// The namespace of the tool in the Responses API; `None` outside of one.
    pub(crate) namespace: Option<String>,
    /// Whether it is a custom tool of `OpenAI`, which takes free text instead of JSON.
    pub(crate) custom: bool,
}

impl Tool {
    /// Creates a function without a namespace.
    pub(crate) fn function(name: impl Into<String>) -> Self {
        Self { name: name.into(), namespace: None, custom: false }
    }
}

/// Returns the string in the required field `name` of `body`.
///
/// # Errors
/// [`ApiError`] with status 400 if it is missing, empty or of another type.
pub(crate) fn text_field<'a>(body: &'a Value, name: &str) -> Result<&'a str, ApiError> {
    match &body[name] {
        Value::String(text) if !text.is_empty() => Ok(text),
        Value::Null => Err(ApiError::invalid_field(name, format!("{name}: Field required"))),
        _ => Err(ApiError::invalid_field(name, format!("{name}: Input should be a valid string"))),
    }
}

/// Returns the list in the required field `name` of `body`.
///
/// # Errors
/// [`ApiError`] with status 400 if it is missing, empty or of another type.
pub(crate) fn list_field<'a>(body: &'a Value, name: &str) -> Result<&'a [Value], ApiError> {
    match &body[name] {
        Value::Array(list) if !list.is_empty() => Ok(list),
        Value::Array(_) => Err(ApiError::invalid_field(name, format!("{name}: at least one item is required"))),
        Value::Null => Err(ApiError::invalid_field(name, format!("{name}: Field required"))),
        _ => Err(ApiError::invalid_field(name, format!("{name}: Input should be a valid list"))),
    }
}

/// Returns the list in the field `name` of `body`; empty if the field is missing.
///
/// # Errors
/// [`ApiError`] with status 400 if it is of another type.
pub(crate) fn optional_list<'a>(body: &'a Value, name: &str) -> Result<&'a [Value], ApiError> {
    match &body[name] {
        Value::Array(list) => Ok(list),
        Value::Null => Ok(&[]),
        _ => Err(ApiError::invalid_field(name, format!("{name}: Input should be a valid list"))),
    }
}

/// Checks that `body` has no fields of other APIs, which an incomplete conversion leaves in a request.
///
/// # Errors
/// [`ApiError`] with status 400 for the first of `names` that is present.
pub(crate) fn reject_foreign_fields(body: &Value, names: &[&str]) -> Result<(), ApiError> {
    match names.iter().find(|name| body.get(**name).is_some()) {
        None => Ok(()),
        Some(name) => Err(ApiError::invalid_field(name, format!("{name}: Extra inputs are not permitted"))),
    }
}

/// Checks the characters and the length of a tool name as the providers do: 1 to `max_length` ASCII letters, digits and
/// `other_characters`. `field` is the path of the name, for the error.
///
/// # Errors
/// [`ApiError`] with status 400 if the name is invalid.
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
