//! Ids of tool calls, which not every API allows in every shape.

use contracts::fits_every_api;

/// An id that every API takes: itself when it is one; otherwise a hash of it, so that a call and its result still meet.
pub(crate) fn safe(id: String) -> String {
    if fits_every_api(&id) { id } else { derived(&id, 0) }
}

/// An id for the call at `place` in an answer, when its provider gives none. The same answer gives the same ids, and
/// two answers different ones.
pub(crate) fn derived(answer: &str, place: usize) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(answer.as_bytes());
    hasher.update(&place.to_le_bytes());
    let hash = hasher.finalize().to_hex();
    format!("call_{}", hash.get(..24).unwrap_or_default())
}
