//! Embedders: who puts the meaning of texts into numbers.
//!
//! There is none in this program: a user brings one. [`OpenAiEmbedder`] asks an endpoint that speaks the embeddings part
//! of the `OpenAI` API, as Ollama and many servers do.

mod answer;
mod error;
mod openai;

use async_trait::async_trait;

pub use error::EmbedError;
pub use openai::{OpenAiEmbedder, Timeouts};

/// The most texts that go into one request.
pub const MOST_TEXTS: usize = 64;
/// The most of each text that is sent, in bytes; the rest is dropped.
pub const MOST_TEXT_BYTES: usize = 8 * 1024;
/// The most of an answer that is read, in bytes.
pub const MOST_ANSWER_BYTES: usize = 8 * 1024 * 1024;

/// Puts texts into numbers. Texts that mean something alike point in a like direction.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The model. Directions of different models have nothing to do with each other.
    fn name(&self) -> &str;

    /// The direction of each text, in the order of the texts, all in the same number of dimensions.
    ///
    /// # Errors
    /// [`EmbedError`], and then nothing is known of any of them.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}
