//! JSON read in place: every value with the bytes it stands in.
//!
//! Edits need positions, and the gateway needs a few events out of bodies of a hundred kilobytes, so values are walked
//! over where they are: no tree, no copies, one pass. Whatever is skipped is checked all the same: this reader accepts
//! exactly what `serde_json` accepts when it ignores a value, but for nesting deeper than `cursor::MAX_DEPTH`.

mod cursor;
mod scan;
mod text;
mod walk;

pub(crate) use cursor::{Cursor, Fault, Members};
pub(crate) use text::{Kind, Text, Value, raw_bytes};

/// What the inside of a JSON string means.
pub(crate) fn decoded(raw: &str) -> std::borrow::Cow<'_, str> {
    text::decoded(raw)
}

/// Whether a text is the JSON of an object, or of `null`, that can be read into values and said again exactly.
pub(crate) fn is_object(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    let is_one = |value: Value<'_>| matches!(value.kind, Kind::Object | Kind::Null);
    cursor.value().is_ok_and(is_one) && cursor.end().is_ok() && cursor.is_exact()
}

#[cfg(test)]
mod tests;
