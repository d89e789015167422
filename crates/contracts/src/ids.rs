//! Names and ids that are validated when they are created.

use std::{fmt, sync::Arc};

use event_core::EventId;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The error for a text that is not a valid name or id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The text is empty.
    #[error("{what} is empty")]
    Empty {
        /// Kind of name, for the message.
        what: &'static str,
    },
    /// The text is longer than the limit of its kind.
    #[error("{what} has {length} bytes, the most is {most}")]
    Long {
        /// Kind of name, for the message.
        what: &'static str,
        /// Length of the text in bytes.
        length: usize,
        /// Maximum length in bytes.
        most: usize,
    },
    /// The text contains white space or a control character.
    #[error("{what} `{text}` contains white space or a control character")]
    Character {
        /// Kind of name, for the message.
        what: &'static str,
        /// The text, with control characters escaped.
        text: String,
    },
    /// A model id has no provider prefix.
    #[error("model `{text}` names no provider: write `provider:model`")]
    Provider {
        /// The text.
        text: String,
    },
}

/// Validates a name or id: it must not be empty, must not exceed `most` bytes, and must contain neither white space nor
/// control characters. `what` is the kind of name, for the error.
fn check_name(what: &'static str, most: usize, text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty { what });
    }
    if text.len() > most {
        return Err(IdError::Long { what, length: text.len(), most });
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(IdError::Character { what, text: text.escape_debug().collect() });
    }
    Ok(())
}

/// Declares a validated name that is cheap to clone.
///
/// Arguments: documentation, name of the type, kind for error messages, maximum length in bytes, optionally a further
/// validation.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $what:literal, $most:literal $(, $also:path)?) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Returns the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<&str> for $name {
            type Error = IdError;

            fn try_from(text: &str) -> Result<Self, IdError> {
                check_name($what, $most, text)?;
                $($also(text)?;)?
                Ok(Self(Arc::from(text)))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::try_from(text.as_str()).map_err(de::Error::custom)
            }
        }
    };
}

name!(
    /// Id of a model, `provider:model`, at most 128 bytes.
    ModelId, "model", 128, names_provider
);
name!(
    /// Name of a provider, such as `anthropic`; at most 64 bytes.
    Provider, "provider", 64
);
name!(
    /// Id of a session, chosen by the client; at most 128 bytes.
    SessionId, "session", 128
);
name!(
    /// Id of a thread inside a session, such as a sub-agent; at most 128 bytes.
    ThreadId, "thread", 128
);

/// Validates that a model id consists of a provider and a model name, both not empty, separated by a colon.
fn names_provider(text: &str) -> Result<(), IdError> {
    match text.split_once(':') {
        Some((provider, model)) if !provider.is_empty() && !model.is_empty() => Ok(()),
        _ => Err(IdError::Provider { text: text.to_owned() }),
    }
}

impl ModelId {
    /// Returns the provider of the model: the part of the id before the first colon.
    pub fn provider(&self) -> &str {
        self.0.split_once(':').map_or("", |(provider, _)| provider)
    }

    /// Returns the provider's name of the model: the part of the id after the first colon.
    pub fn model(&self) -> &str {
        self.0.split_once(':').map_or("", |(_, model)| model)
    }
}

impl SessionId {
    /// Returns the correlation id of events about the session that belong to no turn.
    pub fn correlation(&self) -> EventId {
        EventId::derive(&[b"session", self.as_str().as_bytes()])
    }
}

/// Id of a turn, which starts with a user message (004 §3.1). Also the correlation id of its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnId(pub EventId);

impl TurnId {
    /// Derives the id of a turn from its session and the client's `name` of the turn. Equal arguments have equal ids,
    /// so a repeated import records nothing twice.
    pub fn derive(session: &SessionId, name: &str) -> Self {
        Self(EventId::derive(&[b"turn", session.as_str().as_bytes(), name.as_bytes()]))
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
