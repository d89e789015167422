//! The edits of a request that stays in its own API: the model, an override at its start, a wish for usage.

use super::Edit;
use crate::{
    api,
    json::{Cursor, Kind, raw_bytes},
    request::{Inspected, UserMessage},
};

/// Names another model; where the body names none, one is put first. `None` for Gemini, which names it in the path.
pub fn set_model(inspected: &Inspected<'_>, name: &str) -> Option<Edit> {
    if api::of(inspected.api).has_model_in_path() {
        return None;
    }
    let name = serde_json::Value::from(name).to_string();
    Some(match &inspected.model_span {
        Some(span) => Edit { range: span.clone(), with: name.into_bytes() },
        None => first_member(inspected, &format!(r#""model":{name}"#)),
    })
}

/// A member put before all others.
fn first_member(inspected: &Inspected<'_>, member: &str) -> Edit {
    let start = inspected.places.start;
    let comma = if inspected.places.members { "," } else { "" };
    Edit { range: start..start, with: format!("{member}{comma}").into_bytes() }
}

/// Takes the first `text_bytes` bytes of a message's text, as it was read, out of the body. `None` when the text is not
/// in the body as it was read, or the bytes end inside a character or beyond its first piece.
pub fn cut_override(body: &[u8], message: &UserMessage<'_>, text_bytes: usize) -> Option<Edit> {
    let span = message.span.clone()?;
    let raw = std::str::from_utf8(body.get(span.clone())?).ok()?;
    let length = raw_bytes(raw, text_bytes)?;
    Some(Edit { range: span.start..span.start + length, with: Vec::new() })
}

/// Asks for the usage at the end of a stream of chat completions. `None` when there is no such stream, or when it was
/// asked for already.
pub fn ask_for_usage(body: &[u8], inspected: &Inspected<'_>) -> Option<Edit> {
    if !api::of(inspected.api).reports_usage_on_request() || !inspected.stream || inspected.asks_usage {
        return None;
    }
    let wish = r#""include_usage":true"#;
    let Some(span) = inspected.places.stream_options.clone() else {
        return Some(first_member(inspected, &format!(r#""stream_options":{{{wish}}}"#)));
    };
    let text = std::str::from_utf8(body.get(span.clone())?).ok()?;
    let options = Cursor::new(text).value().ok()?;
    if options.kind != Kind::Object {
        return Some(Edit { range: span, with: format!("{{{wish}}}").into_bytes() });
    }
    if let Some(answer) = options.get("include_usage") {
        let range = span.start + answer.start..span.start + answer.start + answer.raw.len();
        return Some(Edit { range, with: b"true".to_vec() });
    }
    let comma = if options.members().next().is_some() { "," } else { "" };
    let inside = span.start + 1;
    Some(Edit { range: inside..inside, with: format!("{wish}{comma}").into_bytes() })
}
