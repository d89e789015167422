//! The result of a check that passed.

/// A passed check, with an optional note for the summary of `cargo xtask ci`.
pub(crate) struct Passed {
    /// Printed after `ok` in the summary; empty if there is nothing to report.
    pub(crate) note: String,
    /// Whether the note is repeated as the last line of the run.
    pub(crate) repeat_at_end: bool,
}

impl Passed {
    /// Creates the result of a check that has nothing to report.
    pub(crate) fn without_note() -> Self {
        Self::with_note("")
    }

    /// Creates the result of a check with a note, such as counts or the reason why it was skipped.
    pub(crate) fn with_note(note: impl Into<String>) -> Self {
        Self { note: note.into(), repeat_at_end: false }
    }

    /// Adds to the note that the check failed at first.
    pub(crate) fn at_second_attempt(mut self) -> Self {
        self.note.push_str(if self.note.is_empty() { "" } else { " " });
        self.note.push_str("(at the second attempt)");
        self
    }
}
