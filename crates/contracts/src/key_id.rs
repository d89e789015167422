//! [`KeyId`], the identity of a provider key, which does not contain the key.

use std::{fmt, str::FromStr};

use event_core::{EventId, Hex};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The usual environment variable of each well-known provider's key.
const KEY_VARIABLES: [(&str, &str); 8] = [
    ("anthropic", "ANTHROPIC_API_KEY"),
    ("openai", "OPENAI_API_KEY"),
    ("google", "GEMINI_API_KEY"),
    ("openrouter", "OPENROUTER_API_KEY"),
    ("mistral", "MISTRAL_API_KEY"),
    ("deepseek", "DEEPSEEK_API_KEY"),
    ("groq", "GROQ_API_KEY"),
    ("xai", "XAI_API_KEY"),
];

/// Returns the usual environment variable of a provider's key; `None` for a provider without a key, or an unknown one.
pub fn usual_key_variable(provider: &str) -> Option<&'static str> {
    KEY_VARIABLES.iter().find(|(name, _)| *name == provider).map(|(_, variable)| *variable)
}

/// Salted hash of a provider key. Equal keys of one home folder have equal hashes; those of two home folders differ.
///
/// Encoded as 16 bytes in the log and as 32 lower-case hexadecimal digits in text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyHash(pub [u8; 16]);

/// Identity of a provider key: its hash and where it was configured. Does not contain the key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KeyId {
    /// Salted hash of the key.
    pub hash: KeyHash,
    /// Environment variable that contains the key; `None` if it is in the file `keys`.
    pub variable: Option<String>,
}

impl fmt::Display for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyHash({self})")
    }
}

impl Serialize for KeyHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { self.0.serialize(serializer) }
    }
}

impl<'de> Deserialize<'de> for KeyHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return <[u8; 16]>::deserialize(deserializer).map(Self);
        }
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        // An event id has the same form: 16 bytes in hexadecimal.
        EventId::from_str(&text).map(|id| Self(id.0)).map_err(de::Error::custom)
    }
}
