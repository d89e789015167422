//! Names and identities: text that was checked once, on the way in.

use std::{fmt, sync::Arc};

use event_core::EventId;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Why a text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Nothing in it.
    #[error("{what} is empty")]
    Empty {
        /// Which kind of name.
        what: &'static str,
    },
    /// Longer than a name may be.
    #[error("{what} has {length} bytes, the most is {most}")]
    Long {
        /// Which kind of name.
        what: &'static str,
        /// Its length in bytes.
        length: usize,
        /// The most bytes it may have.
        most: usize,
    },
    /// White space or a control character in it.
    #[error("{what} `{text}` contains white space or a control character")]
    Character {
        /// Which kind of name.
        what: &'static str,
        /// The text, escaped.
        text: String,
    },
    /// A model id without a provider in front.
    #[error("model `{text}` names no provider: write `provider:model`")]
    Provider {
        /// The text.
        text: String,
    },
}

fn check(what: &'static str, most: usize, text: &str) -> Result<(), IdError> {
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

/// A cheap-to-clone checked name.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $what:literal, $most:literal $(, $also:path)?) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<&str> for $name {
            type Error = IdError;

            fn try_from(text: &str) -> Result<Self, IdError> {
                check($what, $most, text)?;
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
    /// A model as policies and events name it: `provider:model`, at most 128 bytes.
    ModelId, "model", 128, names_provider
);
name!(
    /// Who serves a model, such as `anthropic`; at most 64 bytes.
    Provider, "provider", 64
);
name!(
    /// A session, as the client names it; at most 128 bytes.
    SessionId, "session", 128
);
name!(
    /// A line of work inside a session, such as one sub-agent; at most 128 bytes.
    ThreadId, "thread", 128
);

fn names_provider(text: &str) -> Result<(), IdError> {
    match text.split_once(':') {
        Some((provider, model)) if !provider.is_empty() && !model.is_empty() => Ok(()),
        _ => Err(IdError::Provider { text: text.to_owned() }),
    }
}

impl ModelId {
    /// What stands before the first colon.
    pub fn provider(&self) -> &str {
        self.0.split_once(':').map_or("", |(provider, _)| provider)
    }

    /// What stands after the first colon: the name the provider knows.
    pub fn model(&self) -> &str {
        self.0.split_once(':').map_or("", |(_, model)| model)
    }
}

impl SessionId {
    /// The id under which events about the session as a whole are correlated.
    pub fn correlation(&self) -> EventId {
        EventId::derive(&[b"session", self.as_str().as_bytes()])
    }
}

/// A turn: one user message and everything done about it (004 §3.1). Also the correlation id of its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnId(pub EventId);

impl TurnId {
    /// The turn a session's client calls `name`: the same on every import.
    pub fn derive(session: &SessionId, name: &str) -> Self {
        Self(EventId::derive(&[b"turn", session.as_str().as_bytes(), name.as_bytes()]))
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
