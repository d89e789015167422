//! A request as far as the answer depends on it, whatever its API.

use serde_json::Value;

use crate::refusal::Refusal;

/// What every API's request says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    pub(crate) model: String,
    pub(crate) stream: bool,
    /// What the user said last.
    pub(crate) text: String,
    /// Bytes of the tools' results that end the conversation.
    pub(crate) results: Option<usize>,
    pub(crate) tools: Vec<Tool>,
    /// The schema of the JSON that is asked for; null when any object will do.
    pub(crate) schema: Option<Value>,
    /// The most tokens of the answer.
    pub(crate) limit: Option<u64>,
    /// Whether a stream of chat completions is to end with its usage.
    pub(crate) include_usage: bool,
    pub(crate) cache: Cache,
    /// Of the request in bytes.
    pub(crate) length: usize,
}

/// What there is for the provider's cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Cache {
    #[default]
    Nothing,
    /// Parts of a first request that are marked for it.
    Marked,
    /// An answer is part of the conversation already, and half of the request is in the cache.
    Continued,
}

impl Cache {
    pub(crate) const fn of(continued: bool) -> Self {
        if continued { Self::Continued } else { Self::Nothing }
    }
}

/// A tool that may be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// The group of tools that it belongs to.
    pub(crate) namespace: Option<String>,
    /// Whether it takes a text instead of an object.
    pub(crate) custom: bool,
}

impl Tool {
    pub(crate) fn function(name: impl Into<String>) -> Self {
        Self { name: name.into(), namespace: None, custom: false }
    }
}

/// A field that must be a text.
pub(crate) fn text_field<'a>(body: &'a Value, name: &str) -> Result<&'a str, Refusal> {
    match &body[name] {
        Value::String(text) if !text.is_empty() => Ok(text),
        Value::Null => Err(Refusal::field(name, format!("{name}: Field required"))),
        _ => Err(Refusal::field(name, format!("{name}: Input should be a valid string"))),
    }
}

/// A field that must be a list with something in it.
pub(crate) fn list_field<'a>(body: &'a Value, name: &str) -> Result<&'a [Value], Refusal> {
    match &body[name] {
        Value::Array(list) if !list.is_empty() => Ok(list),
        Value::Array(_) => Err(Refusal::field(name, format!("{name}: at least one item is required"))),
        Value::Null => Err(Refusal::field(name, format!("{name}: Field required"))),
        _ => Err(Refusal::field(name, format!("{name}: Input should be a valid list"))),
    }
}

/// A field that may be dropped and is a list otherwise.
pub(crate) fn list_or_nothing<'a>(body: &'a Value, name: &str) -> Result<&'a [Value], Refusal> {
    match &body[name] {
        Value::Array(list) => Ok(list),
        Value::Null => Ok(&[]),
        _ => Err(Refusal::field(name, format!("{name}: Input should be a valid list"))),
    }
}

/// Refuses fields of another API: a sloppy conversion leaves them.
pub(crate) fn foreign(body: &Value, names: &[&str]) -> Result<(), Refusal> {
    match names.iter().find(|name| body.get(**name).is_some()) {
        None => Ok(()),
        Some(name) => Err(Refusal::field(name, format!("{name}: Extra inputs are not permitted"))),
    }
}

/// Names of tools as the providers allow them: so many letters, digits and some other characters.
pub(crate) fn tool_name(place: &str, name: &str, most: usize, others: &str) -> Result<(), Refusal> {
    let fits = |character: char| character.is_ascii_alphanumeric() || others.contains(character);
    if !name.is_empty() && name.len() <= most && name.chars().all(fits) {
        return Ok(());
    }
    Err(Refusal::field(place, format!("{place}: String should match pattern '^[a-zA-Z0-9{others}]{{1,{most}}}$'")))
}

/// Bytes of texts, however deep they lie.
pub(crate) fn text_length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => {
            list.iter().map(|part| if part.is_string() { text_length(part) } else { text_length(&part["text"]) }).sum()
        }
        _ => 0,
    }
}
