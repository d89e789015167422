//! Executes a repair plan: writes the new journal and replaces the damaged files.

use std::path::PathBuf;

use event_core::{EventId, NewEvent, Payload, Position, Recorded, Timestamp};

use super::{LOST_KIND, Piece, PositionRange, REPAIRED, RepairPlan, Source};
use crate::{
    LogError,
    chain::Chain,
    files::{self, File, Mode},
    frame,
    head::{self, HEAD, Head},
    index::INDEX,
    journal::{self, HEADER, JOURNAL},
};

/// The size of one write, in bytes.
const CHUNK: usize = 128 * 1024;

/// Outcome of a repair: the new head, the lost events, and the kept files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairOutcome {
    /// The position of the last event.
    pub head: Position,
    /// Events that neither copy had.
    pub lost: Vec<PositionRange>,
    /// The paths of the old files.
    pub kept: Vec<PathBuf>,
}

/// The journal that is being written, with the values that the next frame continues.
struct Output<'f> {
    /// The new journal.
    file: &'f dyn File,
    /// Number of bytes written.
    offset: u64,
    /// Frames that were not written yet.
    pending: Vec<u8>,
    /// Hash chain of the last frame.
    chain: Chain,
    /// Recording time of the last frame.
    recorded_at: Timestamp,
}

impl Output<'_> {
    /// Writes the pending bytes.
    fn flush(&mut self) -> std::io::Result<()> {
        files::write_full(self.file, self.offset, &self.pending)?;
        self.offset += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }
}

impl RepairPlan {
    /// Executes the plan. Keeps the old files as `*.damaged-N`; the index is rebuilt when the log is opened next.
    ///
    /// # Errors
    /// [`LogError::Io`]; the old journal is not touched until the new one is complete.
    pub fn execute(mut self) -> Result<RepairOutcome, LogError> {
        let head = Position(self.pieces.len() as u64);
        if !self.is_needed() {
            return Ok(RepairOutcome { head, lost: Vec::new(), kept: Vec::new() });
        }
        let new = self.root.join(REPAIRED);
        let unfinished = self.root.join("journal.repairing");
        let end = self.write(&unfinished)?;
        // From here on the new journal is complete, and an interrupted repair resumes from it.
        self.files.rename(&unfinished, &new).map_err(LogError::io("rename", &unfinished))?;
        self.files.sync_dir(&self.root).map_err(LogError::io("sync", &self.root))?;
        // sled must release its files before they are moved.
        self.index = None;
        let mut kept = Vec::new();
        // `HEAD` is copied, not moved: while the journal is missing, `HEAD` makes opening the log fail.
        let path = self.root.join(HEAD);
        let old = files::read_small(&*self.files, &path, head::MAX_BYTES).unwrap_or_default();
        if let Some(old) = old {
            kept.push(files::copy_aside(&*self.files, &path, &old).map_err(LogError::io("copy", &path))?);
        }
        // The journal first: a repair that is interrupted before needs the index again.
        for name in [JOURNAL, INDEX] {
            let path = self.root.join(name);
            if files::exists(&*self.files, &path).map_err(LogError::io("list", &self.root))? {
                kept.push(files::move_aside(&*self.files, &path).map_err(LogError::io("move aside", &path))?);
            }
        }
        let path = self.root.join(JOURNAL);
        self.files.rename(&new, &path).map_err(LogError::io("rename", &new))?;
        self.files.sync_dir(&self.root).map_err(LogError::io("sync", &self.root))?;
        head::write(&*self.files, &self.root, end).map_err(LogError::io("write", self.root.join(HEAD)))?;
        tracing::warn!(log = %self.root.display(), events = head.0, lost = self.lost.len(), "the log was put together again");
        Ok(RepairOutcome { head, lost: self.lost, kept })
    }

    /// Writes the new journal from the pieces of the plan, and syncs it. Returns its end.
    fn write(&self, path: &std::path::Path) -> Result<Head, LogError> {
        let wrote = |error| LogError::io("write", path)(error);
        let file = self.files.open(path, Mode::Replace).map_err(LogError::io("create", path))?;
        let mut output = Output {
            file: &*file,
            offset: 0,
            pending: journal::header().to_vec(),
            chain: Chain::ORIGIN,
            recorded_at: Timestamp(0),
        };
        for (index, piece) in self.pieces.iter().enumerate() {
            self.write_piece(Position(index as u64 + 1), *piece, &mut output)?;
            if CHUNK <= output.pending.len() {
                output.flush().map_err(wrote)?;
            }
        }
        output.flush().map_err(wrote)?;
        file.sync_data().map_err(LogError::io("sync", path))?;
        debug_assert!(HEADER as u64 <= output.offset, "the header is always written");
        Ok(Head { position: Position(self.pieces.len() as u64), chain: output.chain, journal: output.offset })
    }

    /// Appends the frame for one position to the new journal, with a recomputed chain.
    fn write_piece(&self, position: Position, piece: Piece, output: &mut Output<'_>) -> Result<(), LogError> {
        let bytes = match piece {
            Piece::Journal { offset, length } => match &self.journal {
                Some(Source { path, file }) => {
                    let mut bytes = vec![0; length];
                    files::read_full(&**file, offset, &mut bytes).map_err(LogError::io("read", path))?;
                    bytes
                }
                None => Vec::new(),
            },
            Piece::Index => {
                self.index.as_ref().and_then(|index| index.frame(position).ok().flatten()).unwrap_or_default()
            }
            Piece::Lost => {
                let lost = lost(position, output.recorded_at);
                output.chain = frame::write(&mut output.pending, &lost, 0, false, output.chain);
                return Ok(());
            }
        };
        let Ok(frame) = frame::read(&bytes) else {
            let detail = "a record that was whole when the repair was planned is not any more".to_owned();
            return Err(LogError::Damaged { path: self.root.clone(), position, detail });
        };
        output.recorded_at = frame.recorded_at();
        output.chain = frame.rewrite(&mut output.pending, output.chain);
        Ok(())
    }
}

/// Creates the `log.lost` event that replaces a lost one, so that later events keep their positions.
fn lost(position: Position, recorded_at: Timestamp) -> Recorded {
    let id = EventId::derive(&[LOST_KIND.as_bytes(), &position.0.to_le_bytes()]);
    let event = NewEvent {
        id,
        at: recorded_at,
        correlation: id,
        causation: None,
        kind: LOST_KIND.into(),
        version: 1,
        payload: Payload::default(),
    };
    Recorded::new(position, recorded_at, event)
}
