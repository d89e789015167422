//! Removes signed thinking from finished turns.
//!
//! A provider rejects signatures of another model with status 400. Messages before the user's last one belong to
//! finished turns, from which every API accepts them without the thinking. Later ones belong to the running turn, whose
//! model needs its thinking back.

use super::{Edit, removal_edits};
use crate::{api, json::Cursor, request_summary::RequestSummary};

/// Returns the edits that remove signed thinking from all messages before the user's last one: thinking blocks of
/// Anthropic, reasoning items of Responses with encrypted content, thoughts and signatures of Gemini, and reasoning in
/// chat completions. A message that would be empty without its thinking is removed. `summary` is the inspected `body`;
/// the result is empty if it has no list of messages or no message of the user.
pub fn remove_signed_thinking(body: &[u8], summary: &RequestSummary<'_>) -> Vec<Edit> {
    let (Some(history), Some(last_user)) = (&summary.offsets.history, summary.offsets.last_user) else {
        return Vec::new();
    };
    let Some(text) = body.get(history.clone()).and_then(|list| std::str::from_utf8(list).ok()) else {
        return Vec::new();
    };
    let Ok(list) = Cursor::new(text).read_value() else { return Vec::new() };
    let mut edits = Vec::new();
    let mut messages = Vec::new();
    let api = api::implementation(summary.api);
    for (index, message) in list.elements().enumerate() {
        let is_removed = index < last_user && api.remove_signatures(&message, &mut edits);
        messages.push((message.span(), is_removed));
    }
    // A message that is removed has no other edits: `remove_signatures` returns true instead.
    edits.extend(removal_edits(&messages));
    for edit in &mut edits {
        edit.range = edit.range.start + history.start..edit.range.end + history.start;
    }
    edits
}
