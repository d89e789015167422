//! [`ExchangeError`], the error of exporting and importing a log.

use std::io;

use event_core::Position;

/// The error of exporting the log as JSON Lines or importing it.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The file cannot be read or written, or a value cannot be encoded as JSON.
    #[error("cannot read or write JSON Lines")]
    Io(#[from] io::Error),
    /// A line cannot be imported: it is longer than 128 MiB, not UTF-8, not a valid event or text, its hash chain is
    /// wrong, or the log rejects its event.
    #[error("line {line}: {reason}")]
    Line {
        /// The number of the line, from 1.
        line: u64,
        /// The problem, for the user.
        reason: String,
    },
    /// The log already has events, and the file does not continue them.
    #[error("the log ends at {head}, the file starts at {start}: import into an empty log, or the rest of this one")]
    NotAContinuation {
        /// The last position of the log.
        head: Position,
        /// The position of the event that does not continue it.
        start: Position,
    },
}
