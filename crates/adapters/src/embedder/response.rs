//! Parses and validates responses of an embeddings endpoint.

use serde::Deserialize;

/// Layout of the JSON response of an embeddings endpoint.
#[derive(Deserialize)]
struct EmbeddingsResponse {
    /// The embeddings, in any order.
    data: Vec<EmbeddingItem>,
}

/// The embedding of one text in the response of an embeddings endpoint.
#[derive(Deserialize)]
struct EmbeddingItem {
    /// Index of the text, from 0; if missing, the position of this item in the list applies.
    index: Option<usize>,
    /// The embedding.
    embedding: Vec<f32>,
}

/// Parses a response with the embeddings of `texts` texts, and returns them in the order of the texts.
///
/// # Errors
/// A description of the invalid response that contains none of its content: not JSON of this layout, another number of
/// embeddings, an index that is too large or occurs twice, an embedding that is empty or not finite, or different
/// dimensions.
pub(super) fn parse_embeddings(bytes: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, String> {
    let response: EmbeddingsResponse = serde_json::from_slice(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let kind = if error.is_data() { "JSON of another kind" } else { "what is no JSON" };
        format!("{kind}, at line {line}, column {column}")
    })?;
    if response.data.len() != texts {
        return Err(format!("with a list of {} for {texts} texts", response.data.len()));
    }
    let mut embeddings = vec![Vec::new(); texts];
    for (position, item) in response.data.into_iter().enumerate() {
        let index = item.index.unwrap_or(position);
        if item.embedding.is_empty() || item.embedding.iter().any(|number| !number.is_finite()) {
            return Err(format!("with an embedding that has no numbers, or endless ones, at index {index}"));
        }
        match embeddings.get_mut(index) {
            Some(embedding) if embedding.is_empty() => *embedding = item.embedding,
            Some(_) => return Err(format!("with two embeddings at index {index}")),
            None => return Err(format!("with an embedding at index {index} for {texts} texts")),
        }
    }
    check_dimensions(&embeddings)?;
    Ok(embeddings)
}

/// Validates that all embeddings have the same dimension.
///
/// # Errors
/// A message with two different dimensions.
pub(super) fn check_dimensions(embeddings: &[Vec<f32>]) -> Result<(), String> {
    let mut lengths = embeddings.iter().map(Vec::len);
    let Some(first_length) = lengths.next() else { return Ok(()) };
    match lengths.find(|length| *length != first_length) {
        Some(other_length) => Err(format!("with embeddings of {first_length} and of {other_length} dimensions")),
        None => Ok(()),
    }
}
