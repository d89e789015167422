//! What can go wrong with a log, in words a user can act on.

use std::{io, path::PathBuf, sync::Arc};

use event_core::{EventId, Position};

/// Why a log refused, or could not do, what it was asked.
///
/// Cheap to clone: one failed barrier answers every producer that waited for it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LogError {
    /// The log went on since the producer looked. Nothing was recorded; look again and decide again.
    #[error("the batch expects the log to end at position {expected}, it ends at {actual}")]
    Conflict {
        /// Where the producer believed the log to end.
        expected: Position,
        /// Where it ends.
        actual: Position,
    },
    /// An event larger than the log takes.
    #[error(
        "the `{kind}` event {id} has {what} of {bytes} bytes, the log takes {limit}; keep long text in a text file"
    )]
    Oversized {
        /// The event.
        id: EventId,
        /// Its kind.
        kind: String,
        /// The part that is too large.
        what: &'static str,
        /// The size of that part.
        bytes: usize,
        /// The most it may have.
        limit: usize,
    },
    /// A batch larger than one barrier covers.
    #[error(
        "a batch of {events} events and {bytes} bytes is more than the log takes at once \
         ({max} events, {limit} bytes); append it in parts",
        max = crate::MAX_BATCH_EVENTS,
        limit = crate::MAX_BATCH_BYTES
    )]
    BatchOversized {
        /// Events in the batch.
        events: usize,
        /// Bytes of their frames.
        bytes: usize,
    },
    /// A restored event that does not continue the log.
    #[error("the event restored at position {given} does not continue a log that ends at {head}: {detail}")]
    OutOfOrder {
        /// Where the log ends.
        head: Position,
        /// The place the event claims.
        given: Position,
        /// What is out of order.
        detail: &'static str,
    },
    /// A restored event the log already has.
    #[error("the event {id} restored at position {given} is already recorded at position {position}")]
    Repeated {
        /// The event.
        id: EventId,
        /// The place it claims.
        given: Position,
        /// The place it has.
        position: Position,
    },
    /// The record is not what was written. Nothing was changed.
    #[error(
        "the log at `{path}` is damaged at position {position}: {detail}; run `turnwise events repair` to see what \
         can be saved"
    )]
    Damaged {
        /// The file or directory.
        path: PathBuf,
        /// The first position that cannot be trusted.
        position: Position,
        /// What was found.
        detail: String,
    },
    /// A write or a sync failed, so nothing more is written until the log is opened again.
    #[error(
        "the log at `{path}` takes no more events: {cause}; remove the cause and open the log again \
         (everything acknowledged is kept)"
    )]
    Stopped {
        /// The log's directory.
        path: PathBuf,
        /// What failed.
        cause: Arc<str>,
    },
    /// Another process has the log open for writing.
    #[error("the log at `{path}` is in use by {by}; end that process, or use a command that only reads")]
    InUse {
        /// The log's directory.
        path: PathBuf,
        /// What the lock file says, such as `process 1234 on build-7`.
        by: String,
    },
    /// The log was opened for reading only.
    #[error("the log at `{path}` is open for reading only")]
    ReadOnly {
        /// The log's directory.
        path: PathBuf,
    },
    /// The files are of a layout this program does not know.
    #[error("`{path}` has format version {found}, this program reads version {known}; use a newer program")]
    Format {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: u16,
        /// The version this program knows.
        known: u16,
    },
    /// A text longer than the text store takes.
    #[error("a text of {bytes} bytes is more than the text store takes ({limit} bytes)", limit = crate::MAX_TEXT_BYTES)]
    TextOversized {
        /// Its length.
        bytes: usize,
    },
    /// A text that is not what its name says.
    #[error("the text `{path}` was changed or damaged; remove it, or restore it from a backup")]
    TextDamaged {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot {action} `{path}`")]
    Io {
        /// What was tried, such as `open`.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        source: Arc<io::Error>,
    },
}

impl LogError {
    /// Names the action and the file of an error of the operating system.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source: Arc::new(source) }
    }
}
