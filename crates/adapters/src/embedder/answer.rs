//! The answer of an embeddings endpoint, read with suspicion.

use serde::Deserialize;

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    /// Which text it is about, from 0; the order of the items says it where there is none.
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// The directions of `texts` texts in their order, or what is wrong with the answer, in words that repeat nothing of it.
pub(super) fn read(bytes: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, String> {
    let answer: Answer = serde_json::from_slice(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let what = if error.is_data() { "JSON of another kind" } else { "what is no JSON" };
        format!("{what}, at line {line}, column {column}")
    })?;
    if answer.data.len() != texts {
        return Err(format!("with a list of {} for {texts} texts", answer.data.len()));
    }
    let mut directions = vec![Vec::new(); texts];
    for (place, item) in answer.data.into_iter().enumerate() {
        let index = item.index.unwrap_or(place);
        if item.embedding.is_empty() || item.embedding.iter().any(|number| !number.is_finite()) {
            return Err(format!("with an embedding that has no numbers, or endless ones, at index {index}"));
        }
        match directions.get_mut(index) {
            Some(direction) if direction.is_empty() => *direction = item.embedding,
            Some(_) => return Err(format!("with two embeddings at index {index}")),
            None => return Err(format!("with an embedding at index {index} for {texts} texts")),
        }
    }
    same_dimensions(&directions)?;
    Ok(directions)
}

/// Checks that all directions have the same number of dimensions.
pub(super) fn same_dimensions(directions: &[Vec<f32>]) -> Result<(), String> {
    let mut lengths = directions.iter().map(Vec::len);
    let Some(first) = lengths.next() else { return Ok(()) };
    match lengths.find(|length| *length != first) {
        Some(other) => Err(format!("with embeddings of {first} and of {other} dimensions")),
        None => Ok(()),
    }
}
