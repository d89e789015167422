//! Compares the index with the journal when a log is opened, and extends or rebuilds it.

use std::path::Path;

use event_core::Position;

use super::index_fill::add_events_after;
use crate::{
    LogError, Repair, RepairAction,
    chain::Chain,
    files::{self, Files},
    index::{INDEX, Index, IndexFailure},
    journal::ReadableJournal,
};

/// State of a log's index before the journal is read. The journal must contain all events of an intact index.
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
        let state = Index::open(&path, files).map_err(LogError::io("open", &path))?.and_then(|index| {
            let (last, chain) = index.last_frame()?.unwrap_or((Position::ORIGIN, Chain::ORIGIN));
            Ok(Self::Intact { index, last, chain })
        });
        Ok(state.unwrap_or_else(Self::Damaged))
    }

    /// Returns the last position in the index; [`Position::ORIGIN`] if it is missing or damaged.
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

    /// Returns the index and its last position if it can be used: its last hash chain value equals `journal`, the value
    /// in the journal at that position. Otherwise returns the reason why the index must be rebuilt; `None` if it is
    /// missing.
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

/// Returns an index that contains all events of the journal. Extends the existing one if it ends before the journal. If
/// it is unusable, moves it aside, builds a new one, and also returns the repair. `root` is the directory of the log,
/// `chain` the hash chain value of the journal at the last position of the index.
///
/// # Errors
/// [`LogError::Io`] if a file cannot be read or written, [`LogError::Stopped`] if the index cannot be built.
pub(super) fn repair_index(
    root: &Path,
    files: &dyn Files,
    index_state: IndexState,
    chain: Chain,
    journal: &ReadableJournal,
) -> Result<(Index, Option<Repair>), LogError> {
    let path = root.join(INDEX);
    let build_error =
        |failure: IndexFailure| LogError::Stopped { path: root.to_owned(), cause: failure.to_string().into() };
    let end = journal.end.position;
    let (index, index_end, reason) = match index_state.into_usable(chain) {
        Ok((index, index_end)) if index_end == end => return Ok((index, None)),
        Ok((index, Position::ORIGIN)) => (index, Position::ORIGIN, "it was empty".to_owned()),
        Ok((index, index_end)) => (index, index_end, "it ended before the journal".to_owned()),
        Err(reason) => {
            let reason = match reason {
                None => "it was missing".to_owned(),
                Some(reason) => {
                    let aside = files::move_aside(files, &path).map_err(LogError::io("move aside", &path))?;
                    let name = aside.file_name().unwrap_or_default().display().to_string();
                    format!(
                        "{reason}; the old one is kept as `{name}`, states saved in it are built again, reactors go on from the end"
                    )
                }
            };
            let index = Index::open(&path, files).map_err(LogError::io("create", &path))?.map_err(build_error)?;
            (index, Position::ORIGIN, reason)
        }
    };
    let added_events = add_events_after(&index, journal, index_end)?.map_err(build_error)?;
    // An empty log needs no index yet.
    if end == Position::ORIGIN && reason.starts_with("it was") {
        return Ok((index, None));
    }
    let action = if index_end == Position::ORIGIN { RepairAction::IndexRebuilt } else { RepairAction::IndexExtended };
    let detail = format!("{added_events} events added from the journal: {reason}");
    Ok((index, Some(Repair { action, position: index_end.next(), detail })))
}
