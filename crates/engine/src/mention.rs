//! The `@` mention at the start of a message, as the engine resolves it for every front end.

use contracts::{Override, Registry};
use router_core::{OverrideError, address};

/// A message split into its mention and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// The model that the mention names.
    pub(crate) model: Option<Override>,
    /// Bytes of the mention at the start of the message, or of the backslash that escapes it.
    pub(crate) bytes: usize,
}

impl Mention {
    const NONE: Self = Self { model: None, bytes: 0 };

    /// Resolves the mention of a live message. A file or an agent of the client (`@src/main.rs`, `@agent-review`) is text.
    ///
    /// # Errors
    /// [`OverrideError`] if the mention names no model and looks like nothing else, or if no message follows it.
    pub(crate) fn resolve(message: &str, registry: &Registry) -> Result<Self, OverrideError> {
        match Self::parse(message, registry) {
            Err(_) if is_of_client(message) => Ok(Self::NONE),
            resolved => resolved,
        }
    }

    /// Resolves the mention of a message that another client accepted: whatever names no model is text.
    pub(crate) fn resolve_accepted(message: &str, registry: &Registry) -> Self {
        Self::parse(message, registry).unwrap_or(Self::NONE)
    }

    /// The message without the mention.
    pub(crate) fn rest<'a>(&self, message: &'a str) -> &'a str {
        message.get(self.bytes..).unwrap_or_default()
    }

    fn parse(message: &str, registry: &Registry) -> Result<Self, OverrideError> {
        let addressed = address(message, registry)?;
        let bytes = message.len() - addressed.text.len();
        Ok(Self { model: addressed.override_model, bytes })
    }
}

/// Whether the first word is what coding clients write `@` for: a path, an attached resource, or an agent.
fn is_of_client(message: &str) -> bool {
    let word = message.split_whitespace().next().unwrap_or_default();
    word.contains(['/', '.', '"', '#', ':']) || word.starts_with("@agent-")
}
