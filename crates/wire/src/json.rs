//! Parses JSON in place; every value has its byte range in the text.
//!
//! Edits need offsets, and the gateway needs a few values from bodies of a hundred kilobytes, so the text is parsed in
//! one pass without building a tree or copying. Skipped values are validated: the parser accepts the same texts as
//! `serde_json` for an ignored value, except nesting deeper than `cursor::MAX_DEPTH`.
//!
//! `cursor` reads tokens, `scan` finds their ends, `text` decodes values, and `walk` iterates over the members of a
//! value.

mod cursor;
mod scan;
mod text;
mod walk;

pub(crate) use cursor::{Cursor, ObjectMembers, SyntaxError};
pub(crate) use text::{Text, Value, ValueKind, raw_prefix_length};

/// Decodes the escapes in the content of a JSON string, given without its quotes.
pub(crate) fn decode_string(raw: &str) -> std::borrow::Cow<'_, str> {
    text::decode_string(raw)
}

/// Returns whether a text is a JSON object, or `null`, that can be parsed and serialised without loss (see
/// [`Cursor::is_exact`]). Leading and trailing white space is allowed.
pub(crate) fn is_exact_object(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    let is_object = |value: Value<'_>| matches!(value.kind, ValueKind::Object | ValueKind::Null);
    cursor.read_value().is_ok_and(is_object) && cursor.expect_end().is_ok() && cursor.is_exact()
}

#[cfg(test)]
mod tests;
