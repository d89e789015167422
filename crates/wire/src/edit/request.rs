//! Edits of a request that is not converted: the model, a model override, usage reporting.

use super::Edit;
use crate::{
    api,
    json::{Cursor, Kind, raw_bytes},
    request_summary::{RequestSummary, UserMessage},
};

/// Returns the edit that replaces the model, or inserts one if the body has none. `None` for Gemini, which has it in
/// the path.
pub fn set_model(inspected: &RequestSummary<'_>, name: &str) -> Option<Edit> {
    if api::of(inspected.api).has_model_in_path() {
        return None;
    }
    let name = serde_json::Value::from(name).to_string();
    Some(match &inspected.model_span {
        Some(span) => Edit { range: span.clone(), replacement: name.into_bytes() },
        None => first_member(inspected, &format!(r#""model":{name}"#)),
    })
}

/// Inserts a member before all others.
fn first_member(inspected: &RequestSummary<'_>, member: &str) -> Edit {
    let start = inspected.offsets.first_member;
    let comma = if inspected.offsets.has_members { "," } else { "" };
    Edit { range: start..start, replacement: format!("{member}{comma}").into_bytes() }
}

/// Removes the first `text_bytes` bytes of a message's decoded text. `None` if the text is not in the body as decoded,
/// or if they end within a character or after its first part.
pub fn remove_message_prefix(body: &[u8], message: &UserMessage<'_>, text_bytes: usize) -> Option<Edit> {
    let span = message.span.clone()?;
    let raw = std::str::from_utf8(body.get(span.clone())?).ok()?;
    let length = raw_bytes(raw, text_bytes)?;
    Some(Edit { range: span.start..span.start + length, replacement: Vec::new() })
}

/// Returns the edit that requests the usage at the end of a stream of chat completions. `None` if the request is for no
/// such stream, or requests the usage already.
pub fn request_stream_usage(body: &[u8], inspected: &RequestSummary<'_>) -> Option<Edit> {
    if !api::of(inspected.api).reports_usage_on_request() || !inspected.stream || inspected.requests_stream_usage {
        return None;
    }
    let wish = r#""include_usage":true"#;
    let Some(span) = inspected.offsets.stream_options.clone() else {
        return Some(first_member(inspected, &format!(r#""stream_options":{{{wish}}}"#)));
    };
    let text = std::str::from_utf8(body.get(span.clone())?).ok()?;
    let options = Cursor::new(text).value().ok()?;
    if options.kind != Kind::Object {
        return Some(Edit { range: span, replacement: format!("{{{wish}}}").into_bytes() });
    }
    if let Some(answer) = options.get("include_usage") {
        let range = span.start + answer.start..span.start + answer.start + answer.raw.len();
        return Some(Edit { range, replacement: b"true".to_vec() });
    }
    let comma = if options.members().next().is_some() { "," } else { "" };
    let inside = span.start + 1;
    Some(Edit { range: inside..inside, replacement: format!("{wish}{comma}").into_bytes() })
}
