//! The parts of a request on which the response depends, for all APIs.

use serde_json::Value;

use crate::refusal::Refusal;

/// A request of any API, reduced to what the response depends on.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParsedRequest {
    pub(crate) model: String,
    pub(crate) stream: bool,
    /// The texts of the user's last message.
    pub(crate) text: String,
    /// Bytes of the tool results that end the conversation.
    pub(crate) results: Option<usize>,
    pub(crate) tools: Vec<Tool>,
    /// The schema of the JSON to respond with; null if any object is allowed.
    pub(crate) schema: Option<Value>,
    /// The limit of output tokens.
    pub(crate) limit: Option<u64>,
    /// Whether a stream of chat completions ends with its usage.
    pub(crate) include_usage: bool,
    pub(crate) cache: Cache,
    /// The length of the request in bytes.
    pub(crate) length: usize,
}

/// The use of the prompt cache, which determines the cached tokens in the usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Cache {
    #[default]
    Nothing,
    /// A first request with parts that are marked for the cache.
    Marked,
    /// The conversation has a response, so half of the request is in the cache.
    Continued,
}

impl Cache {
    pub(crate) const fn of(continued: bool) -> Self {
        if continued { Self::Continued } else { Self::Nothing }
    }
}

/// The definition of a tool in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// The namespace of the tool.
    pub(crate) namespace: Option<String>,
    /// Whether it is a custom tool, which takes free text.
    pub(crate) custom: bool,
}

impl Tool {
    pub(crate) fn function(name: impl Into<String>) -> Self {
        Self { name: name.into(), namespace: None, custom: false }
    }
}

/// Returns a required string.
pub(crate) fn text_field<'a>(body: &'a Value, name: &str) -> Result<&'a str, Refusal> {
    match &body[name] {
        Value::String(text) if !text.is_empty() => Ok(text),
        Value::Null => Err(Refusal::field(name, format!("{name}: Field required"))),
        _ => Err(Refusal::field(name, format!("{name}: Input should be a valid string"))),
    }
}

/// Returns a required list; an error if it is missing or empty.
pub(crate) fn list_field<'a>(body: &'a Value, name: &str) -> Result<&'a [Value], Refusal> {
    match &body[name] {
        Value::Array(list) if !list.is_empty() => Ok(list),
        Value::Array(_) => Err(Refusal::field(name, format!("{name}: at least one item is required"))),
        Value::Null => Err(Refusal::field(name, format!("{name}: Field required"))),
        _ => Err(Refusal::field(name, format!("{name}: Input should be a valid list"))),
    }
}

/// Returns an optional list.
pub(crate) fn list_or_nothing<'a>(body: &'a Value, name: &str) -> Result<&'a [Value], Refusal> {
    match &body[name] {
        Value::Array(list) => Ok(list),
        Value::Null => Ok(&[]),
        _ => Err(Refusal::field(name, format!("{name}: Input should be a valid list"))),
    }
}

/// Rejects fields of another API, which a careless conversion leaves in the request.
pub(crate) fn foreign(body: &Value, names: &[&str]) -> Result<(), Refusal> {
    match names.iter().find(|name| body.get(**name).is_some()) {
        None => Ok(()),
        Some(name) => Err(Refusal::field(name, format!("{name}: Extra inputs are not permitted"))),
    }
}

/// Checks the length and characters of a tool name as the providers do.
pub(crate) fn tool_name(place: &str, name: &str, most: usize, others: &str) -> Result<(), Refusal> {
    let fits = |character: char| character.is_ascii_alphanumeric() || others.contains(character);
    if !name.is_empty() && name.len() <= most && name.chars().all(fits) {
        return Ok(());
    }
    Err(Refusal::field(place, format!("{place}: String should match pattern '^[a-zA-Z0-9{others}]{{1,{most}}}$'")))
}

/// Returns the length of all strings in a value, in bytes.
pub(crate) fn text_length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => {
            list.iter().map(|part| if part.is_string() { text_length(part) } else { text_length(&part["text"]) }).sum()
        }
        _ => 0,
    }
}
