//! Edits of a request that is not converted: the model, a model override, usage reporting.

use super::Edit;
use crate::{
    api,
    json::{Cursor, ValueKind, raw_prefix_length},
    request_summary::{RequestSummary, UserMessage},
};

/// Returns the edit that replaces the model in the body by `name`, or inserts it if the body has none. `None` for
/// Gemini, which has the model in the path.
pub fn set_model(summary: &RequestSummary<'_>, name: &str) -> Option<Edit> {
    if api::implementation(summary.api).has_model_in_path() {
        return None;
    }
    let name = serde_json::Value::from(name).to_string();
    Some(match &summary.model_span {
        Some(span) => Edit { range: span.clone(), replacement: name.into_bytes() },
        None => insert_first_member(summary, &format!(r#""model":{name}"#)),
    })
}

/// Returns the edit that inserts `member`, given as JSON such as `"model":"m"`, before all other members of the body.
fn insert_first_member(summary: &RequestSummary<'_>, member: &str) -> Edit {
    let start = summary.offsets.first_member;
    let comma = if summary.offsets.has_members { "," } else { "" };
    Edit { range: start..start, replacement: format!("{member}{comma}").into_bytes() }
}

/// Returns the edit that removes the first `text_bytes` bytes of a message's decoded text, such as an `@` mention of a
/// model. `None` if the message has no position in the body, or if the bytes end within a character or exceed the first
/// part of the text.
pub fn remove_message_prefix(body: &[u8], message: &UserMessage<'_>, text_bytes: usize) -> Option<Edit> {
    let span = message.span.clone()?;
    let raw = std::str::from_utf8(body.get(span.clone())?).ok()?;
    let length = raw_prefix_length(raw, text_bytes)?;
    Some(Edit { range: span.start..span.start + length, replacement: Vec::new() })
}

/// Returns the edit that sets `stream_options.include_usage`, which requests the usage at the end of a streamed chat
/// completion. `None` for other APIs, if no stream is requested, or if the usage is already requested.
pub fn request_stream_usage(body: &[u8], summary: &RequestSummary<'_>) -> Option<Edit> {
    if !api::implementation(summary.api).reports_usage_on_request() || !summary.stream || summary.requests_stream_usage
    {
        return None;
    }
    let setting = r#""include_usage":true"#;
    let Some(span) = summary.offsets.stream_options.clone() else {
        return Some(insert_first_member(summary, &format!(r#""stream_options":{{{setting}}}"#)));
    };
    let text = std::str::from_utf8(body.get(span.clone())?).ok()?;
    let options = Cursor::new(text).read_value().ok()?;
    if options.kind != ValueKind::Object {
        return Some(Edit { range: span, replacement: format!("{{{setting}}}").into_bytes() });
    }
    if let Some(current) = options.get("include_usage") {
        let range = span.start + current.span().start..span.start + current.span().end;
        return Some(Edit { range, replacement: b"true".to_vec() });
    }
    let comma = if options.members().next().is_some() { "," } else { "" };
    let first_option = span.start + 1;
    Some(Edit { range: first_option..first_option, replacement: format!("{setting}{comma}").into_bytes() })
}
