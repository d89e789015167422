//! Kind of the last line of a turn, which determines the status of a turn without a recorded end.

/// Kind of the last line of a recorded turn. It determines the status of the turn if the file does not record its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastLine {
    /// The user's message.
    Message,
    /// A part of a response; `text` is whether it contains text.
    Answer { text: bool },
    /// A failure without a retry.
    Failure,
    /// Another line: a tool result, or a failed attempt with a retry.
    Other,
}
