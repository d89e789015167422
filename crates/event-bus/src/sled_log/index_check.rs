//! Whether the index can be believed, and what is done when it cannot.

use std::path::Path;

use event_core::Position;

use super::open::Opening;
use crate::{
    LogError, RepairAction,
    chain::Chain,
    files::{self, Files},
    index::{Failure, INDEX, Index},
    journal::{Cursor, Readable, Step},
};

/// Bytes added to the index at once while it is built.
const BUILD: usize = 128 * 1024;

/// Batches between two barriers while it is built. They are not there for safety, as the index is compared with the
/// journal whenever it is opened, but because sled keeps in memory what was not flushed.
const BATCHES: u64 = 64;

/// What the index says before the journal is read.
pub(super) enum Witness {
    /// There is none.
    Missing,
    /// It cannot be opened, or contradicts itself.
    Damaged(Failure),
    Sound {
        index: Index,
        last: Position,
        chain: Chain,
    },
}

impl Witness {
    /// Opens the index and asks it what it knows.
    pub(super) fn question(root: &Path, files: &dyn Files) -> Result<Self, LogError> {
        let path = root.join(INDEX);
        if !files::exists(files, &path).map_err(LogError::io("list", root))? {
            return Ok(Self::Missing);
        }
        let asked = Index::open(&path, files).map_err(LogError::io("open", &path))?.and_then(|index| {
            let (last, chain) = index.last()?.unwrap_or((Position::ORIGIN, Chain::ORIGIN));
            Ok(Self::Sound { index, last, chain })
        });
        Ok(asked.unwrap_or_else(Self::Damaged))
    }

    /// Where it ends, as far as it can be believed.
    pub(super) const fn position(&self) -> Position {
        match self {
            Self::Sound { last, .. } => *last,
            Self::Missing | Self::Damaged(_) => Position::ORIGIN,
        }
    }

    pub(super) fn knows_nothing(&self) -> bool {
        match self {
            Self::Missing => true,
            Self::Damaged(_) => false,
            Self::Sound { last, .. } => *last == Position::ORIGIN,
        }
    }

    /// Whether it can be believed in what it does not know.
    pub(super) fn is_sound(&self) -> bool {
        matches!(self, Self::Sound { index, .. } if index.distrusted().is_none())
    }

    /// The index, if it ends on the journal's own chain, or why it is of no use.
    fn settle(self, journal: Chain) -> Result<(Index, Position), Option<String>> {
        match self {
            Self::Missing => Err(None),
            Self::Damaged(failure) => Err(Some(failure.to_string())),
            Self::Sound { index, .. } if index.distrusted().is_some() => Err(index.distrusted().map(ToOwned::to_owned)),
            Self::Sound { last, chain, index } if chain == journal => Ok((index, last)),
            Self::Sound { last, .. } => Err(Some(format!("its hash chain at position {last} is not the journal's"))),
        }
    }
}

impl Opening<'_> {
    /// An index that agrees with the journal up to its end.
    pub(super) fn settle_index(
        &mut self,
        witness: Witness,
        chain: Chain,
        journal: &Readable,
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
        // A log without events needs no index yet.
        if end != Position::ORIGIN || !why.starts_with("it was") {
            self.repaired(action, known.next(), format!("{added} events added from the journal: {why}"));
        }
        Ok(index)
    }

    fn refused(&self, failure: &Failure) -> LogError {
        LogError::Stopped { path: self.root.to_owned(), cause: failure.to_string().into() }
    }
}

/// Adds every event after a position, and counts them.
pub(super) fn build(index: &Index, journal: &Readable, known: Position) -> Result<Result<u64, Failure>, LogError> {
    let (offset, _) = journal.offsets.before(known.next());
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
            // The journal was read a moment ago and was whole; should it end early, the next opening shows it.
            Step::Flaw(_) | Step::End => false,
        };
        if BUILD <= bytes.len() || !more {
            if let Err(failure) = index.add(&bytes) {
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
