//! Ids of tool calls, whose characters and length the APIs restrict.

use contracts::fits_every_api;

/// Returns the id of a tool call unchanged if every API accepts it, and otherwise an id derived from it. Equal ids
/// result in equal ids, so a call and its result still match.
pub(crate) fn valid_call_id(id: String) -> String {
    if fits_every_api(&id) { id } else { derived_call_id(&id, 0) }
}

/// Derives an id for a tool call without one: `call_` and 24 hexadecimal digits. `response` is the id or the text of
/// the response, `position` the index of the call in it. Equal arguments result in equal ids.
pub(crate) fn derived_call_id(response: &str, position: usize) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(response.as_bytes());
    hasher.update(&position.to_le_bytes());
    let hash = hasher.finalize().to_hex();
    format!("call_{}", hash.get(..24).unwrap_or_default())
}
