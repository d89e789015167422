//! `@alias` at the start of a message (004 §9.2, decision D12).

use contracts::{Override, Registry};

use crate::policy::nearest_names;

/// A message, and the model it is addressed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressed<'a> {
    /// The model named in front, if one is.
    pub override_model: Option<Override>,
    /// The message without the token, or without the backslash of `\@`.
    pub text: &'a str,
}

/// A message that names no model it could mean. Nothing is sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
    /// No model has this alias.
    #[error("no model is called `@{alias}`{hint}; write `\\@{alias}` to send the text as it is")]
    Unknown {
        /// The alias as written.
        alias: String,
        /// Names that are close, or nothing.
        hint: String,
    },
    /// An alias and nothing after it.
    #[error("`@{alias}` is followed by no message")]
    Empty {
        /// The alias as written.
        alias: String,
    },
}

/// Reads the model a message is addressed to.
///
/// The token must be at the very start, white space must follow, then the message. `\@alias` is text.
///
/// # Errors
/// [`OverrideError`] for an alias that does not exist, or one without a message.
pub fn address<'a>(message: &'a str, registry: &Registry) -> Result<Addressed<'a>, OverrideError> {
    let plain = |text| Ok(Addressed { override_model: None, text });
    if message.starts_with("\\@") {
        return plain(&message[1..]);
    }
    let Some(rest) = message.strip_prefix('@') else { return plain(message) };
    let (alias, body) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    if alias.is_empty() {
        return plain(message);
    }
    let Some(model) = registry.named(alias) else {
        let near = nearest_names(&alias.to_lowercase(), registry.names().map(|(name, _)| name));
        let hint = if near.is_empty() { String::new() } else { format!("; close are {}", near.join(", ")) };
        return Err(OverrideError::Unknown { alias: alias.to_owned(), hint });
    };
    let text = body.trim_start();
    if text.is_empty() {
        return Err(OverrideError::Empty { alias: alias.to_owned() });
    }
    let override_model = Override { alias: alias.to_owned(), model: model.id.clone() };
    Ok(Addressed { override_model: Some(override_model), text })
}
