//! Thinking that its model signed, taken out of the turns that are over.
//!
//! A provider answers 400 to a signature of another model. What stands before the last message of the user belongs to
//! turns that are over, and every API takes those without the thinking. What comes after it belongs to the running
//! turn, whose model signed it and wants it back.

use super::{Edit, cut};
use crate::{api, json::Cursor, request::Inspected};

/// The edits that take signed thinking out of everything before the last message of the user: Anthropic's blocks of
/// thinking, the reasoning of Responses that carries encrypted content, Gemini's thoughts and their signatures, and what
/// servers of chat completions call reasoning. A message that holds nothing else goes as a whole.
pub fn without_signatures(body: &[u8], inspected: &Inspected<'_>) -> Vec<Edit> {
    let (Some(history), Some(last_user)) = (&inspected.places.history, inspected.places.last_user) else {
        return Vec::new();
    };
    let Some(text) = body.get(history.clone()).and_then(|list| std::str::from_utf8(list).ok()) else {
        return Vec::new();
    };
    let Ok(list) = Cursor::new(text).value() else { return Vec::new() };
    let mut edits = Vec::new();
    let mut messages = Vec::new();
    let api = api::of(inspected.api);
    for (index, message) in list.elements().enumerate() {
        let goes = index < last_user && api.remove_signatures(&message, &mut edits);
        messages.push((message.span(), goes));
    }
    // What goes as a whole has no edits inside.
    edits.extend(cut(&messages));
    for edit in &mut edits {
        edit.range = edit.range.start + history.start..edit.range.end + history.start;
    }
    edits
}
