//! What a turn that nobody ended ends with.

/// What the last line of a turn was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    /// The message of the user.
    Message,
    /// A part of an answer; with text, or something else.
    Answer { text: bool },
    /// A failure nobody tried again.
    Failure,
    /// Anything else: a result of a tool, an attempt that failed.
    Other,
}
