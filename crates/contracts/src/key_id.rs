//! [`KeyId`], the identity of a provider key, which does not contain the key.

use serde::{Deserialize, Serialize};

/// The usual environment variable of the API key of each well-known provider.
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

/// Returns the usual environment variable of a provider's API key; `None` if the provider needs no key or is unknown.
pub fn usual_key_variable(provider: &str) -> Option<&'static str> {
    KEY_VARIABLES.iter().find(|(name, _)| *name == provider).map(|(_, variable)| *variable)
}

/// Salted hash of a provider's API key. Equal keys of one home folder have equal hashes; those of two home folders
/// differ.
///
/// Encoded as 16 bytes in the log and as 32 lower-case hexadecimal digits in text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyHash(pub [u8; 16]);

/// Identity of a provider's API key: its hash and where it was configured. Does not contain the key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KeyId {
    /// Salted hash of the key.
    pub hash: KeyHash,
    /// Environment variable that contains the key; `None` if it is in the file `keys`.
    pub variable: Option<String>,
}

/// Error for a text that is not 32 hexadecimal digits; contains the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key hash of 32 hexadecimal digits")]
pub struct ParseKeyHashError(String);

event_core::hex_bytes!(KeyHash, 16, ParseKeyHashError);
