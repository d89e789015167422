//! Ids of tool calls, whose characters and length the APIs restrict.

use contracts::fits_every_api;

/// Returns the id if every API accepts it, or else an id derived from it, so that a call and its result still match.
pub(crate) fn valid_call_id(id: String) -> String {
    if fits_every_api(&id) { id } else { derived_call_id(&id, 0) }
}

/// Derives an id for the call at position `position` in a response. The same response always results in the same ids,
/// and two responses in different ones.
pub(crate) fn derived_call_id(response: &str, position: usize) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(response.as_bytes());
    hasher.update(&position.to_le_bytes());
    let hash = hasher.finalize().to_hex();
    format!("call_{}", hash.get(..24).unwrap_or_default())
}
