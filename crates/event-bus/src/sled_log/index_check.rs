//! Validates the index when a log is opened, and extends or rebuilds it.

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

/// Number of bytes added to the index at once while it is built.
const BUILD: usize = 128 * 1024;

/// Number of batches between two barriers while it is built. The barriers limit sled's memory, which keeps unflushed
/// data. They are not needed for safety, since the index is compared with the journal at each opening.
const BATCHES: u64 = 64;

/// State of the index before the journal is read. The journal must contain all events of an intact index.
pub(super) enum Witness {
    /// The index does not exist.
    Missing,
    /// The index cannot be opened, or is inconsistent.
    Damaged(IndexFailure),
    Sound {
        index: Index,
        last: Position,
        chain: Chain,
    },
}

impl Witness {
    /// Opens the index and reads its last position and chain. A failure of the index is [`Witness::Damaged`], not an
    /// error.
    pub(super) fn question(root: &Path, files: &dyn Files) -> Result<Self, LogError> {
        let path = root.join(INDEX);
        if !files::exists(files, &path).map_err(LogError::io("list", root))? {
            return Ok(Self::Missing);
        }
        let asked = Index::open(&path, files).map_err(LogError::io("open", &path))?.and_then(|index| {
            let (last, chain) = index.last_frame()?.unwrap_or((Position::ORIGIN, Chain::ORIGIN));
            Ok(Self::Sound { index, last, chain })
        });
        Ok(asked.unwrap_or_else(Self::Damaged))
    }

    /// Returns the last position of the index; [`Position::ORIGIN`] if it is missing or damaged.
    pub(super) const fn position(&self) -> Position {
        match self {
            Self::Sound { last, .. } => *last,
            Self::Missing | Self::Damaged(_) => Position::ORIGIN,
        }
    }

    /// Returns whether the index is missing or empty.
    pub(super) fn knows_nothing(&self) -> bool {
        match self {
            Self::Missing => true,
            Self::Damaged(_) => false,
            Self::Sound { last, .. } => *last == Position::ORIGIN,
        }
    }

    /// Returns whether the index is intact, so that events after its end were never acknowledged.
    pub(super) fn is_sound(&self) -> bool {
        matches!(self, Self::Sound { index, .. } if index.rebuild_reason().is_none())
    }

    /// Returns the index with its last position if its chain is the journal's. Otherwise returns the reason why it is
    /// unusable, `None` if it is missing.
    fn settle(self, journal: Chain) -> Result<(Index, Position), Option<String>> {
        match self {
            Self::Missing => Err(None),
            Self::Damaged(failure) => Err(Some(failure.to_string())),
            Self::Sound { index, .. } if index.rebuild_reason().is_some() => {
                Err(index.rebuild_reason().map(ToOwned::to_owned))
            }
            Self::Sound { last, chain, index } if chain == journal => Ok((index, last)),
            Self::Sound { last, .. } => Err(Some(format!("its hash chain at position {last} is not the journal's"))),
        }
    }
}

impl Opening<'_> {
    /// Returns an index that agrees with the journal up to its end. Extends it, or rebuilds it if it is unusable.
    pub(super) fn settle_index(
        &mut self,
        witness: Witness,
        chain: Chain,
        journal: &ReadableJournal,
    ) -> Result<Index, LogError> {
        let path = self.index_path();
        let end = journal.end.position;
        let (index, known, why) = match witness.settle(chain) {
            Ok((index, known)) if known == end => return Ok(index),
            Ok((index, Position::ORIGIN)) => (index, Position::ORIGIN, "it was empty".to_owned()),
            Ok((index, known)) => (index, known, "it ended before the journal".to_owned()),
            Err(reason) => {
                let why = match reason {
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
                let index = index.map_err(|failure| self.refused(&failure))?;
                (index, Position::ORIGIN, why)
            }
        };
        let added = build(&index, journal, known)?.map_err(|failure| self.refused(&failure))?;
        let action = if known == Position::ORIGIN { RepairAction::IndexRebuilt } else { RepairAction::IndexExtended };
        // An empty log needs no index yet.
        if end != Position::ORIGIN || !why.starts_with("it was") {
            self.repaired(action, known.next(), format!("{added} events added from the journal: {why}"));
        }
        Ok(index)
    }

    /// Returns the error for an index that cannot be built.
    fn refused(&self, failure: &IndexFailure) -> LogError {
        LogError::Stopped { path: self.root.to_owned(), cause: failure.to_string().into() }
    }
}

/// Adds all events after a position to the index. Returns their number. The outer error is that of the journal, the
/// inner one that of the index.
pub(super) fn build(
    index: &Index,
    journal: &ReadableJournal,
    known: Position,
) -> Result<Result<u64, IndexFailure>, LogError> {
    let (offset, _) = journal.offsets.nearest_before(known.next());
    let mut cursor = Cursor::new(&*journal.file, offset, journal.end.offset);
    let (mut added, mut batches) = (0, 0_u64);
    let mut bytes = Vec::with_capacity(BUILD);
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
        if BUILD <= bytes.len() || !more {
            if let Err(failure) = index.add_frames(&bytes) {
                return Ok(Err(failure));
            }
            bytes.clear();
            batches += 1;
            if (batches % BATCHES == 0 || !more)
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
