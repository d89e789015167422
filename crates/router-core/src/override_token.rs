//! Parses a model override (an `@` mention): `@alias` at the start of a message, followed by white space and a text
//! (004 §9.2, decision D12).

use contracts::{Override, Registry};

use crate::policy::{is_typo_of, nearest_names};

/// A message, split into its model override and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverrideMessage<'a> {
    /// The model that the message selects; `None` without an override.
    pub override_model: Option<Override>,
    /// The message without the override, or without the backslash of `\@`.
    pub text: &'a str,
}

/// Why the model override of a message cannot be resolved. No model is called for such a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
    /// No model has this alias.
    #[error("no model is called `@{alias}`{hint}; write `\\@{alias}` to send the text as it is")]
    Unknown {
        /// The name after `@`, as written.
        alias: String,
        /// A clause with similar names; empty if there are none.
        hint: String,
    },
    /// The alias is not followed by a message.
    #[error("`@{alias}` is followed by no message")]
    Empty {
        /// The name after `@`, as written.
        alias: String,
    },
}

/// Splits a message into its model override and its text.
///
/// The override must be at the very start, and white space and text must follow it. `\@alias` is text, and so is an `@`
/// before white space.
///
/// # Errors
/// [`OverrideError::Unknown`] if no model has the alias, [`OverrideError::Empty`] if no text follows it.
pub fn parse_override<'a>(message: &'a str, registry: &Registry) -> Result<OverrideMessage<'a>, OverrideError> {
    let without_override = |text| Ok(OverrideMessage { override_model: None, text });
    if message.starts_with("\\@") {
        return without_override(&message[1..]);
    }
    let Some(rest) = message.strip_prefix('@') else { return without_override(message) };
    let (alias, after_alias) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    if alias.is_empty() {
        return without_override(message);
    }
    let Some(model) = registry.named(alias) else {
        let similar = nearest_names(&alias.to_lowercase(), registry.names().map(|(name, _)| name));
        let hint = if similar.is_empty() { String::new() } else { format!("; close are {}", similar.join(", ")) };
        return Err(OverrideError::Unknown { alias: alias.to_owned(), hint });
    };
    let text = after_alias.trim_start();
    if text.is_empty() {
        return Err(OverrideError::Empty { alias: alias.to_owned() });
    }
    let override_model = Override { alias: alias.to_owned(), model: model.id.clone() };
    Ok(OverrideMessage { override_model: Some(override_model), text })
}

/// Returns whether a name that no model has was probably meant as the name of a model (decision D39): it starts with a
/// provider of the registry and a colon, or it differs from a model's id or alias by a typing error. Case is ignored.
pub fn resembles_model(name: &str, registry: &Registry) -> bool {
    let name = name.to_lowercase();
    let provider = name.split_once(':').map(|(provider, _)| provider);
    let is_provider = |provider: &str| registry.iter().any(|model| model.provider.as_str() == provider);
    provider.is_some_and(is_provider) || registry.names().any(|(known, _)| is_typo_of(&name, known))
}
