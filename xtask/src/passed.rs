//! The result of a check that passed.

/// A passed check, with an optional note for the summary of `cargo xtask ci`.
pub(crate) struct Passed {
    /// Printed beside `ok`; empty if there is nothing to report.
    pub(crate) note: String,
    /// Whether the note is repeated as the last line of the run.
    pub(crate) repeat_at_end: bool,
}

impl Passed {
    /// A passed check without a note.
    pub(crate) fn silently() -> Self {
        Self::noting("")
    }

    /// A passed check with a note.
    pub(crate) fn noting(note: impl Into<String>) -> Self {
        Self { note: note.into(), repeat_at_end: false }
    }
}
