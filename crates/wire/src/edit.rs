//! Edits request bodies in place: the bytes outside the edits do not change.
//!
//! `request` sets the model and other members, `signatures` removes signed thinking, `thinking` removes thinking
//! settings, and `parts` removes list elements and object members for them.

pub(crate) mod parts;
mod request;
mod signatures;
mod thinking;

use std::ops::Range;

pub use request::{remove_message_prefix, request_stream_usage, set_model};
pub use signatures::remove_signed_thinking;
pub use thinking::remove_thinking_settings;

/// A replacement of a range of bytes in a request body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The byte range to replace; empty to insert.
    pub range: Range<usize>,
    /// The new bytes of the range; empty to remove it.
    pub replacement: Vec<u8>,
}

/// Returns a request body with all edits applied. The edits may be in any order; one that overlaps an earlier one, or
/// exceeds the body, is ignored.
pub fn apply_edits(body: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out = Vec::with_capacity(body.len() + edits.iter().map(|edit| edit.replacement.len()).sum::<usize>());
    append_edited(body, &edits, &mut out);
    out
}

/// Appends a request body with all edits applied to `out`. The edits must be sorted by their start; one that overlaps
/// an earlier one, or exceeds the body, is ignored.
pub(crate) fn append_edited(body: &[u8], edits: &[Edit], out: &mut Vec<u8>) {
    let mut copied_up_to = 0;
    for edit in edits {
        let Some(unchanged_part) = body.get(copied_up_to..edit.range.start) else { continue };
        if edit.range.end > body.len() || edit.range.start > edit.range.end {
            continue;
        }
        out.extend_from_slice(unchanged_part);
        out.extend_from_slice(&edit.replacement);
        copied_up_to = edit.range.end;
    }
    out.extend_from_slice(body.get(copied_up_to..).unwrap_or_default());
}

/// Returns the edits that remove members of a JSON object, or elements of a list, each with one comma, so that the JSON
/// stays valid. `parts` contains all members or elements in order, each with its byte range and whether it is removed.
pub(crate) fn removal_edits(parts: &[(Range<usize>, bool)]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut has_kept_earlier = false;
    for (index, (span, is_removed)) in parts.iter().enumerate() {
        if !is_removed {
            has_kept_earlier = true;
            continue;
        }
        let previous = index.checked_sub(1).and_then(|previous| parts.get(previous));
        let range = match (previous, parts.get(index + 1)) {
            // Removes the comma before it.
            (Some((previous, _)), _) if has_kept_earlier => previous.end..span.end,
            // All parts before it are removed: removes the comma after it.
            (_, Some((next, _))) => span.start..next.start,
            _ => span.clone(),
        };
        edits.push(Edit { range, replacement: Vec::new() });
    }
    edits
}

#[cfg(test)]
mod tests;
