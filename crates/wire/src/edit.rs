//! Edits of raw bytes: what must change is replaced, everything else stays byte-equal.

use std::ops::Range;

/// A replacement of some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub range: Range<usize>,
    /// What stands there instead.
    pub with: Vec<u8>,
}

/// The body with edits made. They are sorted by where they begin; one that overlaps the one before it, or reaches
/// beyond the body, is left out.
pub fn apply(body: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out = Vec::with_capacity(body.len() + edits.iter().map(|edit| edit.with.len()).sum::<usize>());
    let mut done = 0;
    for edit in edits {
        let Some(kept) = body.get(done..edit.range.start) else { continue };
        if edit.range.end > body.len() || edit.range.start > edit.range.end {
            continue;
        }
        out.extend_from_slice(kept);
        out.extend_from_slice(&edit.with);
        done = edit.range.end;
    }
    out.extend_from_slice(body.get(done..).unwrap_or_default());
    out
}
