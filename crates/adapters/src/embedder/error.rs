//! Why texts could not be embedded. No error repeats a text, a key, or anything a server wrote.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// Texts that were not embedded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The address is none, or cannot be used on this machine.
    #[error("`{endpoint}` cannot be asked: {cause}; check `embedding.url`")]
    Address {
        /// The endpoint.
        endpoint: String,
        /// Why.
        cause: String,
    },
    /// A key that no request can carry.
    #[error(
        "the key for `{endpoint}` holds characters that no request can carry: check what `embedding.key_env` names"
    )]
    Key {
        /// The endpoint.
        endpoint: String,
    },
    /// Nobody answers, or the connection broke.
    #[error("`{endpoint}` does not answer: {cause}; check that it runs, and `embedding.url`")]
    Unreachable {
        /// The endpoint.
        endpoint: String,
        /// Why.
        cause: String,
    },
    /// No whole answer in time.
    #[error("`{endpoint}` gave no whole answer within {} s: try again when it is less busy", .after.as_secs_f32())]
    Slow {
        /// The endpoint.
        endpoint: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// It answered that it will not.
    #[error("`{endpoint}` answered {status}{}: {}", at_last(*.tries), next_step(*.status))]
    Refused {
        /// The endpoint.
        endpoint: String,
        /// The status.
        status: u16,
        /// How often it was asked.
        tries: u32,
    },
    /// An answer that is too long to read.
    #[error("`{endpoint}` answered with more than {most} bytes: check that `embedding.url` names an embeddings API")]
    Oversize {
        /// The endpoint.
        endpoint: String,
        /// The most that is read.
        most: usize,
    },
    /// An answer that says nothing about the texts.
    #[error("`{endpoint}` answered {problem}: check that `embedding.url` names an embeddings API")]
    Malformed {
        /// The endpoint.
        endpoint: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl EmbedError {
    /// Whether it is about what was sent: other texts may well be embedded.
    pub const fn is_about_the_texts(&self) -> bool {
        matches!(self, Self::Refused { status: 400 | 413 | 422, .. })
    }
}

/// As it reads.
impl Serialize for EmbedError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn at_last(tries: u32) -> String {
    if 1 < tries { format!(" at the last of {tries} tries") } else { String::new() }
}

const fn next_step(status: u16) -> &'static str {
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
