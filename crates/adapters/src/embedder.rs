//! Embedders, which compute embeddings of texts.
//!
//! turnwise contains no embedding model; the user configures one. [`OpenAiEmbedder`] is a client for endpoints with the
//! embeddings API of `OpenAI`, such as Ollama and many servers.

mod error;
mod openai;
mod response;

use async_trait::async_trait;

pub use error::EmbedError;
pub use openai::{OpenAiEmbedder, Timeouts};

/// Maximum number of texts in one request; more texts are sent in several requests.
pub const MAX_TEXTS: usize = 64;
/// Maximum length in bytes of a text that is sent; the rest is cut off.
pub const MAX_TEXT_BYTES: usize = 8 * 1024;
/// Maximum length in bytes of a response; a longer one is an error.
pub const MAX_RESPONSE_BYTES: usize = 8 * 1024 * 1024;

/// Computes embeddings: vectors whose directions are similar for texts of similar meaning.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Returns the name of the model. Embeddings of different models are not comparable.
    fn name(&self) -> &str;

    /// Returns the embedding of each text, in the order of the texts and all of the same dimension.
    ///
    /// # Errors
    /// [`EmbedError`] if any of the texts could not be embedded.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}
