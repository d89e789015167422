//! Errors of event logs. Messages name the file, the cause and the next step.

use std::{io, path::PathBuf, sync::Arc};

use event_core::{EventId, Position};

/// An error of an event log or a text store.
///
/// Cheap to clone, since one failed barrier is returned to every waiting caller.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LogError {
    /// The head is not the expected one, since other events were appended. Nothing was recorded; read them and retry.
    #[error("the batch expects the log to end at position {expected}, it ends at {actual}")]
    Conflict {
        /// The expected head.
        expected: Position,
        /// The actual head.
        actual: Position,
    },
    /// A kind or payload exceeds its limit.
    #[error(
        "the `{kind}` event {id} has {what} of {bytes} bytes, the log takes {limit}; keep long text in a text file"
    )]
    Oversized {
        /// The event.
        id: EventId,
        /// Its kind.
        kind: String,
        /// The part that is too large, with its article: `a kind` or `a payload`.
        what: &'static str,
        /// The size of that part, in bytes.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// A batch exceeds the limits of one barrier.
    #[error(
        "a batch of {events} events and {bytes} bytes is more than the log takes at once \
         ({max} events, {limit} bytes); append it in parts",
        max = crate::MAX_BATCH_EVENTS,
        limit = crate::MAX_BATCH_BYTES
    )]
    BatchOversized {
        /// Events in the batch.
        events: usize,
        /// Size of their frames, in bytes.
        bytes: usize,
    },
    /// A restored event that does not continue the log.
    #[error("the event restored at position {given} does not continue a log that ends at {head}: {detail}")]
    OutOfOrder {
        /// The head of the log.
        head: Position,
        /// The position of the restored event.
        given: Position,
        /// The violated rule, for the message.
        detail: &'static str,
    },
    /// A restored event is already recorded.
    #[error("the event {id} restored at position {given} is already recorded at position {position}")]
    Repeated {
        /// The event.
        id: EventId,
        /// The position of the restored event.
        given: Position,
        /// The position where it is recorded.
        position: Position,
    },
    /// A file fails verification. Nothing was changed.
    #[error(
        "the log at `{path}` is damaged at position {position}: {detail}; run `turnwise events repair` to see what \
         can be saved"
    )]
    Damaged {
        /// The file or directory.
        path: PathBuf,
        /// The first position that fails verification.
        position: Position,
        /// The failed check, for the message.
        detail: String,
    },
    /// A write or sync failed. Nothing more is written until the log is opened again.
    #[error(
        "the log at `{path}` takes no more events: {cause}; remove the cause and open the log again \
         (everything acknowledged is kept)"
    )]
    Stopped {
        /// The log's directory.
        path: PathBuf,
        /// The first failure, for the message.
        cause: Arc<str>,
    },
    /// There is no room for the staged events, which are kept. The log continues by itself once there is room: each later
    /// append or sync tries again.
    #[error("the disk of the log at `{path}` is full: {cause}; free some space, no restart is needed")]
    Full {
        /// The log's directory.
        path: PathBuf,
        /// The error of the system, for the message.
        cause: Arc<str>,
    },
    /// Another process has the log open for writing.
    #[error("the log at `{path}` is in use by {by}; end that process, or use a command that only reads")]
    InUse {
        /// The log's directory.
        path: PathBuf,
        /// The content of the lock file, such as `process 1234 on build-7`.
        by: String,
    },
    /// A write was attempted on a log that is open for reading only.
    #[error("the log at `{path}` is open for reading only")]
    ReadOnly {
        /// The log's directory.
        path: PathBuf,
    },
    /// A file has an unknown format version.
    #[error("`{path}` has format version {found}, this program reads version {known}; use a newer program")]
    Format {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: u16,
        /// The version this program reads.
        known: u16,
    },
    /// A text exceeds [`MAX_TEXT_BYTES`](crate::MAX_TEXT_BYTES).
    #[error("a text of {bytes} bytes is more than the text store takes ({limit} bytes)", limit = crate::MAX_TEXT_BYTES)]
    TextOversized {
        /// Its length, in bytes.
        bytes: usize,
    },
    /// The content of a text does not match the hash in its file name.
    #[error("the text `{path}` was changed or damaged; remove it, or restore it from a backup")]
    TextDamaged {
        /// The file.
        path: PathBuf,
    },
    /// A file operation failed.
    #[error("cannot {action} `{path}`")]
    Io {
        /// The operation, such as `open`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: Arc<io::Error>,
    },
}

impl LogError {
    /// Whether the cause is a full disk or an exhausted quota, so that the operation can succeed later.
    pub fn is_out_of_room(&self) -> bool {
        match self {
            Self::Full { .. } => true,
            Self::Io { source, .. } => is_out_of_room(source),
            _ => false,
        }
    }

    /// Returns a function for `map_err` that adds the operation, such as `open`, and the file to an I/O error.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source: Arc::new(source) }
    }
}

/// Whether an error of the system means that a disk is full or a quota is exhausted.
pub(crate) fn is_out_of_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
