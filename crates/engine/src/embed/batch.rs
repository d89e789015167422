//! Embeds a batch of texts, and isolates a text that the embedder refuses.

use adapters::embedder::{EmbedError, Embedder};

/// The result of embedding a batch of texts: the embeddings and the last failure.
pub(super) struct BatchOutcome {
    /// The embedding of each text; `None` where it failed.
    pub(super) vectors: Vec<Option<Vec<f32>>>,
    /// The last failure; `None` if all texts were embedded.
    pub(super) failure: Option<EmbedError>,
    /// Whether the next batch may succeed: false if the failure was not caused by a text, such as an unreachable
    /// endpoint, or if each of several texts was refused.
    pub(super) may_continue: bool,
}

/// Embeds texts in one request. If the embedder refuses the batch because of one text, sends each text in a request of
/// its own, until a request fails for another reason.
pub(super) async fn embed_batch(embedder: &dyn Embedder, texts: &[String]) -> BatchOutcome {
    let mut outcome = BatchOutcome { vectors: vec![None; texts.len()], failure: None, may_continue: true };
    if texts.is_empty() {
        return outcome;
    }
    match embedder.embed(texts).await {
        Ok(vectors) => {
            outcome.vectors = vectors.into_iter().map(Some).collect();
            return outcome;
        }
        Err(error) if !error.is_caused_by_texts() || texts.len() == 1 => {
            outcome.may_continue = error.is_caused_by_texts();
            outcome.failure = Some(error);
            return outcome;
        }
        Err(_) => {}
    }
    for (text, vector) in texts.iter().zip(&mut outcome.vectors) {
        match embedder.embed(std::slice::from_ref(text)).await {
            Ok(vectors) => *vector = vectors.into_iter().next(),
            Err(error) => {
                outcome.may_continue = error.is_caused_by_texts();
                outcome.failure = Some(error);
                if !outcome.may_continue {
                    return outcome;
                }
            }
        }
    }
    // If the embedder accepted none of the texts, they are not the cause.
    outcome.may_continue = outcome.vectors.iter().any(Option::is_some);
    outcome
}
