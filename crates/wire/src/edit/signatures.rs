//! Thinking that its model signed, taken out of the turns that are over.
//!
//! A provider answers 400 to a signature of another model. What stands before the last message of the user belongs to
//! turns that are over, and every API takes those without the thinking. What comes after it belongs to the running
//! turn, whose model signed it and wants it back.

use contracts::WireApi;

use super::{
    Edit, cut,
    parts::{clean_list, clean_members},
};
use crate::{
    json::{Cursor, Value},
    request::Inspected,
};

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
    for (index, message) in list.elements().enumerate() {
        let goes = index < last_user && clean(inspected.api, &message, &mut edits);
        messages.push((message.span(), goes));
    }
    // What goes as a whole has no edits inside.
    edits.extend(cut(&messages));
    for edit in &mut edits {
        edit.range = edit.range.start + history.start..edit.range.end + history.start;
    }
    edits
}

/// Cleans one message; true when nothing would be left of it.
fn clean(api: WireApi, message: &Value<'_>, edits: &mut Vec<Edit>) -> bool {
    match api {
        WireApi::AnthropicMessages => clean_list(message.get("content"), edits, |block| {
            matches!(
                block.get("type").and_then(|kind| kind.string()).as_deref(),
                Some("thinking" | "redacted_thinking")
            )
        }),
        WireApi::OpenAiResponses => {
            let [kind, encrypted] = message.pick(["type", "encrypted_content"]);
            kind.and_then(|kind| kind.string()).as_deref() == Some("reasoning")
                && encrypted.is_some_and(|encrypted| !encrypted.is_nothing())
        }
        WireApi::Gemini => {
            let [parts] = message.pick(["parts"]);
            let empty = clean_list(parts, edits, |part| {
                part.get("thought").and_then(|thought| thought.boolean()) == Some(true)
            });
            if !empty {
                let is_thought = |part: &Value<'_>| part.get("thought").and_then(|it| it.boolean()) == Some(true);
                for part in parts.iter().flat_map(Value::elements).filter(|part| !is_thought(part)) {
                    clean_members(&part, edits, &["thoughtSignature", "thought_signature"]);
                }
            }
            empty
        }
        WireApi::OpenAiChat => {
            clean_members(message, edits, &["reasoning", "reasoning_content", "reasoning_details"]);
            for call in message.get("tool_calls").iter().flat_map(Value::elements) {
                clean_members(&call, edits, &["extra_content"]);
            }
            false
        }
    }
}
