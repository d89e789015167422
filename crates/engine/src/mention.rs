//! Resolves the `@` mention at the start of a message, with which the user selects a model for one turn.

use contracts::{Override, Registry};
use router_core::{OverrideError, parse_override, resembles_model};

/// The `@` mention of a model at the start of a message, with its length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// The model that the mention selects; `None` without a mention.
    pub(crate) model: Option<Override>,
    /// The length in bytes of the mention with the white space after it, or of the backslash that escapes an `@`.
    pub(crate) bytes: usize,
}

impl Mention {
    /// No mention: the text is unchanged.
    const NONE: Self = Self { model: None, bytes: 0 };

    /// Resolves the `@` mention of a live message. A word that neither names nor resembles a model is text, since
    /// coding clients use `@` for files and agents (`@src/main.rs`, `@agent-review`).
    ///
    /// # Errors
    /// [`OverrideError`] if the mention names no model but resembles a model's name, or if no message follows a model.
    pub(crate) fn resolve(message: &str, registry: &Registry) -> Result<Self, OverrideError> {
        match Self::parse(message, registry) {
            Err(OverrideError::Unknown { alias, .. }) if !resembles_model(&alias, registry) => Ok(Self::NONE),
            resolved => resolved,
        }
    }

    /// Resolves the `@` mention of a message that another client has already accepted: a mention that names no model is
    /// text.
    pub(crate) fn resolve_accepted(message: &str, registry: &Registry) -> Self {
        Self::parse(message, registry).unwrap_or(Self::NONE)
    }

    /// Returns the part of the message after the mention; empty if the message is shorter than the mention.
    pub(crate) fn strip_from<'a>(&self, message: &'a str) -> &'a str {
        message.get(self.bytes..).unwrap_or_default()
    }

    /// Parses the `@` mention at the start of a message. Its length is the difference between the message and the text
    /// that remains.
    ///
    /// # Errors
    /// [`OverrideError`] if the word after `@` names no model, or no message follows it.
    fn parse(message: &str, registry: &Registry) -> Result<Self, OverrideError> {
        let parsed = parse_override(message, registry)?;
        let bytes = message.len() - parsed.text.len();
        Ok(Self { model: parsed.override_model, bytes })
    }
}
