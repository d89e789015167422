//! Parses JSON in place; every value keeps its byte range.
//!
//! Edits need offsets, and the gateway needs a few values from bodies of a hundred kilobytes, so the text is parsed in
//! one pass without building a tree or copying. Skipped values are validated: the parser accepts what `serde_json`
//! accepts for an ignored value, except nesting deeper than `cursor::MAX_DEPTH`.

mod cursor;
mod scan;
mod text;
mod walk;

pub(crate) use cursor::{Cursor, Members, SyntaxError};
pub(crate) use text::{Kind, Text, Value, raw_bytes};

/// Decodes the content of a JSON string.
pub(crate) fn decoded(raw: &str) -> std::borrow::Cow<'_, str> {
    text::decoded(raw)
}

/// Whether a text is a JSON object, or `null`, that can be parsed and serialised without loss.
pub(crate) fn is_object(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    let is_one = |value: Value<'_>| matches!(value.kind, Kind::Object | Kind::Null);
    cursor.value().is_ok_and(is_one) && cursor.end().is_ok() && cursor.is_exact()
}

#[cfg(test)]
mod tests;
