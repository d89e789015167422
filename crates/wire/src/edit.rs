//! Edits request bodies in place: the bytes outside the edits do not change.

pub(crate) mod parts;
mod request;
mod signatures;
mod thinking;

use std::ops::Range;

pub use request::{remove_message_prefix, request_stream_usage, set_model};
pub use signatures::remove_signed_thinking;
pub use thinking::remove_thinking_settings;

/// A replacement of a range of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The range to replace.
    pub range: Range<usize>,
    /// The replacement.
    pub replacement: Vec<u8>,
}

/// Applies edits to a body. Edits that overlap an earlier one, or exceed the body, are ignored.
pub fn apply_edits(body: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out = Vec::with_capacity(body.len() + edits.iter().map(|edit| edit.replacement.len()).sum::<usize>());
    write(body, &edits, &mut out);
    out
}

/// Applies edits that are sorted by their start, and appends the result to `out`.
pub(crate) fn write(body: &[u8], edits: &[Edit], out: &mut Vec<u8>) {
    let mut done = 0;
    for edit in edits {
        let Some(kept) = body.get(done..edit.range.start) else { continue };
        if edit.range.end > body.len() || edit.range.start > edit.range.end {
            continue;
        }
        out.extend_from_slice(kept);
        out.extend_from_slice(&edit.replacement);
        done = edit.range.end;
    }
    out.extend_from_slice(body.get(done..).unwrap_or_default());
}

/// Returns the edits that remove members or elements together with their commas. `parts` contains the range of each
/// member or element, in order, and whether it is removed.
pub(crate) fn cut(parts: &[(Range<usize>, bool)]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut kept_before = false;
    for (index, (span, goes)) in parts.iter().enumerate() {
        if !goes {
            kept_before = true;
            continue;
        }
        let before = index.checked_sub(1).and_then(|before| parts.get(before));
        let range = match (before, parts.get(index + 1)) {
            // Removes the comma before it.
            (Some((before, _)), _) if kept_before => before.end..span.end,
            // No part before it is kept: removes the comma after it.
            (_, Some((next, _))) => span.start..next.start,
            _ => span.clone(),
        };
        edits.push(Edit { range, replacement: Vec::new() });
    }
    edits
}

#[cfg(test)]
mod tests;
