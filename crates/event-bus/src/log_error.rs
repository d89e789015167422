//! [`LogError`], the error of event logs and text stores. Messages name the file, the cause and the next step.

use std::{io, path::PathBuf, sync::Arc};

use event_core::{EventId, Position};

/// An error of an event log or a text store. Messages are for the user: they contain the file, the cause and the next
/// step.
///
/// Cheap to clone, since one failed barrier is returned to every waiting caller.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LogError {
    /// The head of the log is not the expected one, since other events were appended. Nothing was recorded. The caller
    /// may read the new events and retry.
    #[error("the batch expects the log to end at position {expected}, it ends at {actual}")]
    Conflict {
        /// Head that the batch requires.
        expected: Position,
        /// Position of the last event of the log.
        actual: Position,
    },
    /// The kind or the payload of an event exceeds its limit. Nothing was recorded.
    #[error(
        "the `{kind}` event {id} has {what} of {bytes} bytes, the log takes {limit}; keep long text in a text file"
    )]
    Oversized {
        /// Id of the event.
        id: EventId,
        /// Kind of the event.
        kind: String,
        /// The part that is too long, for the message: `a kind` or `a payload`.
        what: &'static str,
        /// Size of that part, in bytes.
        bytes: usize,
        /// Its limit, in bytes.
        limit: usize,
    },
    /// A batch has more events or bytes than one disk sync covers. Nothing was recorded.
    #[error(
        "a batch of {events} events and {bytes} bytes is more than the log takes at once \
         ({max} events, {limit} bytes); append it in parts",
        max = crate::MAX_BATCH_EVENTS,
        limit = crate::MAX_BATCH_BYTES
    )]
    BatchOversized {
        /// Number of new events in the batch.
        events: usize,
        /// Size of their frames, in bytes.
        bytes: usize,
    },
    /// A restored event does not continue the log: its position is not the next one, or it is older than the last
    /// event. Nothing was recorded.
    #[error("the event restored at position {given} does not continue a log that ends at {head}: {detail}")]
    OutOfOrder {
        /// Position of the last event of the log.
        head: Position,
        /// Position of the restored event.
        given: Position,
        /// The violated rule, for the message.
        detail: &'static str,
    },
    /// The id of a restored event is already recorded. Nothing was recorded.
    #[error("the event {id} restored at position {given} is already recorded at position {position}")]
    Repeated {
        /// Id of the event.
        id: EventId,
        /// Position of the restored event.
        given: Position,
        /// Position at which the id is recorded.
        position: Position,
    },
    /// A file fails verification: acknowledged events are missing or changed. Nothing was changed.
    #[error(
        "the log at `{path}` is damaged at position {position}: {detail}; run `turnwise events repair` to see what \
         can be saved"
    )]
    Damaged {
        /// The damaged file or directory.
        path: PathBuf,
        /// First position that fails verification.
        position: Position,
        /// The failed check, for the message.
        detail: String,
    },
    /// A write or sync failed, now or in an earlier call. Nothing more is written until the log is opened again.
    #[error(
        "the log at `{path}` takes no more events: {cause}; remove the cause and open the log again \
         (everything acknowledged is kept)"
    )]
    Stopped {
        /// Directory of the log.
        path: PathBuf,
        /// The first failure, for the message.
        cause: Arc<str>,
    },
    /// The disk has no room for the staged events, which remain staged. The log continues by itself once there is room:
    /// each later append or sync tries again.
    #[error("the disk of the log at `{path}` is full: {cause}; free some space, no restart is needed")]
    Full {
        /// The log's directory.
        path: PathBuf,
        /// The error of the system, for the message.
        cause: Arc<str>,
    },
    /// The index failed for a reason that can disappear, such as a full disk, and is not used until the log is opened
    /// again. Checkpoints are neither read nor saved; events are not affected.
    #[error("the index of the log at `{path}` is not used until the log is opened again: {cause}")]
    IndexUnavailable {
        /// Directory of the log.
        path: PathBuf,
        /// The failure of the index, for the message.
        cause: Arc<str>,
    },
    /// Another process has the log open for writing.
    #[error("the log at `{path}` is in use by {by}; end that process, or use a command that only reads")]
    InUse {
        /// Directory of the log.
        path: PathBuf,
        /// Content of the lock file, such as `process 1234 on build-7`.
        by: String,
    },
    /// A write was attempted on a log that is open for reading only. Nothing was changed.
    #[error("the log at `{path}` is open for reading only")]
    ReadOnly {
        /// Directory of the log.
        path: PathBuf,
    },
    /// A file has a format version that this program does not read.
    #[error("`{path}` has format version {found}, this program reads version {known}; use a newer program")]
    Format {
        /// The file with that version.
        path: PathBuf,
        /// Version in the file.
        found: u16,
        /// Version that this program reads.
        known: u16,
    },
    /// A text is longer than [`MAX_TEXT_BYTES`](crate::MAX_TEXT_BYTES). Nothing was stored.
    #[error("a text of {bytes} bytes is more than the text store takes ({limit} bytes)", limit = crate::MAX_TEXT_BYTES)]
    TextOversized {
        /// Length of the text, in bytes.
        bytes: usize,
    },
    /// The content of a text file does not match the hash in its name.
    #[error("the text `{path}` was changed or damaged; remove it, or restore it from a backup")]
    TextDamaged {
        /// File of the text.
        path: PathBuf,
    },
    /// A file operation failed.
    #[error("cannot {action} `{path}`")]
    Io {
        /// The operation, such as `open`, for the message.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Error of the operating system.
        source: Arc<io::Error>,
    },
}

impl LogError {
    /// Returns whether the cause is a full disk or an exhausted quota, so that the operation can succeed later.
    pub fn is_out_of_room(&self) -> bool {
        match self {
            Self::Full { .. } => true,
            Self::Io { source, .. } => is_out_of_room(source),
            _ => false,
        }
    }

    /// Returns a function for `map_err` that converts an I/O error into [`LogError::Io`]. `action` is the operation,
    /// such as `open`, and `path` the file.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source: Arc::new(source) }
    }
}

/// Returns whether an error of the system means that a disk is full or a quota is exhausted.
pub(crate) fn is_out_of_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
