//! Compares the index with the journal when a log is opened, and extends or rebuilds it.

use std::path::Path;

use event_core::Position;

use super::open::Opening;
use crate::{
    LogError, RepairAction,
    chain::Chain,
    files::{self, Files},
    index::{INDEX, Index, IndexFailure},
    journal::{Cursor, ReadableJournal, Step},
};

/// Minimum number of bytes added to the index at once while it is built, except for the last ones.
const BATCH_BYTES: usize = 128 * 1024;

/// Number of batches between two barriers while it is built. The barriers limit sled's memory, which contains unflushed
/// data. They are not needed for safety, since the index is compared with the journal at each opening.
const BATCHES_PER_BARRIER: u64 = 64;

/// State of the index before the journal is read. The journal must contain all events of an intact index.
pub(super) enum IndexState {
    /// The directory of the index does not exist.
    Missing,
    /// The index cannot be opened, or its last frame cannot be decoded.
    Damaged(IndexFailure),
    /// The index can be opened and its last frame decoded.
    Intact {
        /// The open index.
        index: Index,
        /// Position of its last frame; [`Position::ORIGIN`] if it is empty.
        last: Position,
        /// Chain value of that frame.
        chain: Chain,
    },
}

impl IndexState {
    /// Opens the index and reads its last position and chain value. A damaged index is not an error.
    ///
    /// # Errors
    /// [`LogError::Io`] for a transient error of the system, such as a full disk.
    pub(super) fn read(root: &Path, files: &dyn Files) -> Result<Self, LogError> {
        let path = root.join(INDEX);
        if !files::exists(files, &path).map_err(LogError::io("list", root))? {
            return Ok(Self::Missing);
        }
        let opened = Index::open(&path, files).map_err(LogError::io("open", &path))?.and_then(|index| {
            let (last, chain) = index.last_frame()?.unwrap_or((Position::ORIGIN, Chain::ORIGIN));
            Ok(Self::Intact { index, last, chain })
        });
        Ok(opened.unwrap_or_else(Self::Damaged))
    }

    /// Returns the last position of the index; [`Position::ORIGIN`] if it is missing or damaged.
    pub(super) const fn position(&self) -> Position {
        match self {
            Self::Intact { last, .. } => *last,
            Self::Missing | Self::Damaged(_) => Position::ORIGIN,
        }
    }

    /// Returns whether the index is missing or empty.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Missing => true,
            Self::Damaged(_) => false,
            Self::Intact { last, .. } => *last == Position::ORIGIN,
        }
    }

    /// Returns whether the index is intact and not marked for a rebuild. Events after its end were then never
    /// acknowledged.
    pub(super) fn is_intact(&self) -> bool {
        matches!(self, Self::Intact { index, .. } if index.rebuild_reason().is_none())
    }

    /// Returns the index and its last position if its chain value is `journal`, that of the journal at this position.
    /// Otherwise returns the reason why it must be rebuilt, `None` if it is missing.
    fn into_usable(self, journal: Chain) -> Result<(Index, Position), Option<String>> {
        match self {
            Self::Missing => Err(None),
            Self::Damaged(failure) => Err(Some(failure.to_string())),
            Self::Intact { index, .. } if index.rebuild_reason().is_some() => {
                Err(index.rebuild_reason().map(ToOwned::to_owned))
            }
            Self::Intact { last, chain, index } if chain == journal => Ok((index, last)),
            Self::Intact { last, .. } => Err(Some(format!("its hash chain at position {last} is not the journal's"))),
        }
    }
}

impl Opening<'_> {
    /// Returns an index that contains all events of the journal. Extends it if it ends before the journal. If it is
    /// unusable, moves it aside, builds a new one, and records that as a repair. `chain` is the chain value of the
    /// journal at the last position of the index.
    ///
    /// # Errors
    /// [`LogError::Io`] if a file cannot be read or written, [`LogError::Stopped`] if the index cannot be built.
    pub(super) fn repair_index(
        &mut self,
        index_state: IndexState,
        chain: Chain,
        journal: &ReadableJournal,
    ) -> Result<Index, LogError> {
        let path = self.index_path();
        let end = journal.end.position;
        let (index, known, reason) = match index_state.into_usable(chain) {
            Ok((index, known)) if known == end => return Ok(index),
            Ok((index, Position::ORIGIN)) => (index, Position::ORIGIN, "it was empty".to_owned()),
            Ok((index, known)) => (index, known, "it ended before the journal".to_owned()),
            Err(reason) => {
                let reason = match reason {
                    None => "it was missing".to_owned(),
                    Some(reason) => {
                        let aside = files::move_aside(self.files, &path).map_err(LogError::io("move aside", &path))?;
                        let name = aside.file_name().unwrap_or_default().display().to_string();
                        format!(
                            "{reason}; the old one is kept as `{name}`, states saved in it are built again, reactors go on from the end"
                        )
                    }
                };
                let index = Index::open(&path, self.files).map_err(LogError::io("create", &path))?;
                let index = index.map_err(|failure| self.build_error(&failure))?;
                (index, Position::ORIGIN, reason)
            }
        };
        let added = add_events_after(&index, journal, known)?.map_err(|failure| self.build_error(&failure))?;
        let action = if known == Position::ORIGIN { RepairAction::IndexRebuilt } else { RepairAction::IndexExtended };
        // An empty log needs no index yet.
        if end != Position::ORIGIN || !reason.starts_with("it was") {
            self.add_repair(action, known.next(), format!("{added} events added from the journal: {reason}"));
        }
        Ok(index)
    }

    /// Returns the error of an index that cannot be built.
    fn build_error(&self, failure: &IndexFailure) -> LogError {
        LogError::Stopped { path: self.root.to_owned(), cause: failure.to_string().into() }
    }
}

/// Adds all events of the journal after position `known` to the index, durably. Returns their number. The outer error
/// is that of the journal, the inner one that of the index.
pub(super) fn add_events_after(
    index: &Index,
    journal: &ReadableJournal,
    known: Position,
) -> Result<Result<u64, IndexFailure>, LogError> {
    let (offset, _) = journal.offsets.nearest_before(known.next());
    let mut cursor = Cursor::new(&*journal.file, offset, journal.end.offset);
    let (mut added, mut batches) = (0, 0_u64);
    let mut bytes = Vec::with_capacity(BATCH_BYTES);
    loop {
        let more = match cursor.next().map_err(LogError::io("read", &journal.path))? {
            Step::Frame(frame) => {
                if known < frame.position() {
                    bytes.extend_from_slice(frame.bytes());
                    added += 1;
                }
                true
            }
            // The journal was scanned before and was complete. If it ends early, the next opening reports it.
            Step::Invalid(_) | Step::End => false,
        };
        if BATCH_BYTES <= bytes.len() || !more {
            if let Err(failure) = index.add_frames(&bytes) {
                return Ok(Err(failure));
            }
            bytes.clear();
            batches += 1;
            if (batches % BATCHES_PER_BARRIER == 0 || !more)
                && let Err(failure) = index.barrier()
            {
                return Ok(Err(failure));
            }
        }
        if !more {
            return Ok(Ok(added));
        }
    }
}
