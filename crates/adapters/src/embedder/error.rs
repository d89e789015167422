//! [`EmbedError`], the error of computing embeddings. No error contains text of a message, a key, or content of a
//! response.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// Error of a request to an endpoint that computes embeddings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The URL is invalid or cannot be used on this machine.
    #[error("`{endpoint}` cannot be asked: {cause}; check `embedding.url`")]
    Address {
        /// URL of the endpoint.
        endpoint: String,
        /// Cause of the error.
        cause: String,
    },
    /// The environment variable with the key is not set, or blank.
    #[error("`embedding.key_env` names `{name}`, which is not set or is not text: set it to the key")]
    KeyUnset {
        /// Name of the variable.
        name: String,
    },
    /// The key contains characters that no header value may have.
    #[error(
        "the key for `{endpoint}` holds characters that no request can carry: check what `embedding.key_env` names"
    )]
    Key {
        /// URL of the endpoint.
        endpoint: String,
    },
    /// No connection could be opened, or it was interrupted.
    #[error("`{endpoint}` does not answer: {cause}; check that it runs, and `embedding.url`")]
    Unreachable {
        /// URL of the endpoint.
        endpoint: String,
        /// Cause of the error.
        cause: String,
    },
    /// The response was not complete before the timeout.
    #[error("`{endpoint}` gave no whole answer within {} s: try again when it is less busy", .after.as_secs_f32())]
    Timeout {
        /// URL of the endpoint.
        endpoint: String,
        /// The timeout.
        after: Duration,
    },
    /// The endpoint returned a status outside 200 to 299; for 429 and 5xx, also after the retries.
    #[error("`{endpoint}` answered {status}{}: {}", format_attempts(*.tries), advice_for_status(*.status))]
    Refused {
        /// URL of the endpoint.
        endpoint: String,
        /// HTTP status code.
        status: u16,
        /// Number of attempts, including the first one.
        tries: u32,
    },
    /// The response is longer than `max_bytes`.
    #[error(
        "`{endpoint}` answered with more than {max_bytes} bytes: check that `embedding.url` names an embeddings API"
    )]
    Oversize {
        /// URL of the endpoint.
        endpoint: String,
        /// Maximum length in bytes.
        max_bytes: usize,
    },
    /// The response is not a valid list of embeddings.
    #[error("`{endpoint}` answered {problem}: check that `embedding.url` names an embeddings API")]
    Malformed {
        /// URL of the endpoint.
        endpoint: String,
        /// Description of the invalid response.
        problem: String,
    },
}

impl EmbedError {
    /// Returns whether the texts of the request caused the error, so that a request with other texts may succeed. That
    /// is so for the statuses 400, 413 and 422.
    pub const fn is_caused_by_texts(&self) -> bool {
        matches!(self, Self::Refused { status: 400 | 413 | 422, .. })
    }
}

/// Serialises as the error message.
impl Serialize for EmbedError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Returns the part of a message that states the number of attempts; empty for a single attempt.
fn format_attempts(tries: u32) -> String {
    if 1 < tries { format!(" at the last of {tries} tries") } else { String::new() }
}

/// Returns the next step for the user after the endpoint responded with an error status.
const fn advice_for_status(status: u16) -> &'static str {
    match status {
        400 | 413 | 422 => "a text may be too long for the model, or `embedding.model` is none that embeds",
        401 | 403 => "check the key in the environment variable that `embedding.key_env` names",
        404 => "check `embedding.url` and `embedding.model`; Ollama needs `ollama pull` first",
        429 => "it is asked too much, try again later",
        300..400 => "it is somewhere else, check `embedding.url`",
        500.. => "it has trouble of its own, try again later",
        _ => "check `embedding.url`",
    }
}
