//! [`RepairPlan::execute`]: writes the new journal and replaces the damaged files.

use std::path::{Path, PathBuf};

use event_core::{EventId, NewEvent, Payload, Position, Recorded, Timestamp};

use super::{FrameSource, LOST_KIND, PositionRange, REPAIRED_JOURNAL, RepairPlan};
use crate::{
    LogError,
    chain::Chain,
    files::{self, File, Mode},
    frame,
    head::{self, HEAD, Head},
    index::INDEX,
    journal::{self, HEADER_BYTES, JOURNAL},
};

/// Minimum size of a write of the new journal in bytes, except the last.
const WRITE_BYTES: usize = 128 * 1024;

/// Result of repairing a damaged event log: the lost events, and the new paths of the old files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairOutcome {
    /// Position of the last event.
    pub head: Position,
    /// Positions of events that neither journal nor index had. Each was replaced by a `log.lost` event.
    pub lost: Vec<PositionRange>,
    /// New paths of the old files, named `*.damaged-N`; empty if no repair was needed.
    pub kept: Vec<PathBuf>,
}

/// The new journal of a repair while it is written, with the values that the next frame continues.
struct JournalOutput<'f> {
    /// The file of the new journal.
    file: &'f dyn File,
    /// Number of bytes that are written.
    offset: u64,
    /// Bytes that are to be written at `offset`.
    pending: Vec<u8>,
    /// Chain value of the last frame.
    chain: Chain,
    /// Time at which the event of the last frame was recorded.
    recorded_at: Timestamp,
}

impl JournalOutput<'_> {
    /// Writes the buffered bytes to the new journal. Does not sync.
    ///
    /// # Errors
    /// The error of the file system.
    fn flush(&mut self) -> std::io::Result<()> {
        files::write_full(self.file, self.offset, &self.pending)?;
        self.offset += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }
}

impl RepairPlan {
    /// Executes the repair: writes a new journal and `HEAD` file, and renames the old files to `*.damaged-N`. The index
    /// is rebuilt when the log is next opened. Does nothing if no repair is needed.
    ///
    /// # Errors
    /// [`LogError::Io`] if a file cannot be read or written, [`LogError::Damaged`] if a frame changed since the repair
    /// was planned. The old journal is not touched until the new one is complete.
    pub fn execute(mut self) -> Result<RepairOutcome, LogError> {
        let head = Position(self.sources.len() as u64);
        if !self.is_needed() {
            return Ok(RepairOutcome { head, lost: Vec::new(), kept: Vec::new() });
        }
        let complete_journal = self.root.join(REPAIRED_JOURNAL);
        let unfinished_journal = self.root.join("journal.repairing");
        let end = self.write_journal(&unfinished_journal)?;
        // From here on the new journal is complete, and an interrupted repair resumes from it.
        self.files
            .rename(&unfinished_journal, &complete_journal)
            .map_err(LogError::io("rename", &unfinished_journal))?;
        self.files.sync_dir(&self.root).map_err(LogError::io("sync", &self.root))?;
        // sled must release its files before they are moved.
        self.index = None;
        let kept = self.keep_old_files()?;
        let path = self.root.join(JOURNAL);
        self.files.rename(&complete_journal, &path).map_err(LogError::io("rename", &complete_journal))?;
        self.files.sync_dir(&self.root).map_err(LogError::io("sync", &self.root))?;
        head::write_head(&*self.files, &self.root, end).map_err(LogError::io("write", self.root.join(HEAD)))?;
        tracing::warn!(log = %self.root.display(), events = head.0, lost = self.lost.len(), "the log was put together again");
        Ok(RepairOutcome { head, lost: self.lost, kept })
    }

    /// Copies the `HEAD` file and renames journal and index, each to a name `*.damaged-N`. Returns the new paths.
    fn keep_old_files(&self) -> Result<Vec<PathBuf>, LogError> {
        let mut kept = Vec::new();
        // `HEAD` is copied, not moved: while the journal is missing, `HEAD` makes opening the log fail.
        let path = self.root.join(HEAD);
        let head_content = files::read_small(&*self.files, &path, head::MAX_HEAD_BYTES).unwrap_or_default();
        if let Some(head_content) = head_content {
            kept.push(files::copy_aside(&*self.files, &path, &head_content).map_err(LogError::io("copy", &path))?);
        }
        // The journal first: a repair that is interrupted before this needs the index again.
        for name in [JOURNAL, INDEX] {
            let path = self.root.join(name);
            if files::exists(&*self.files, &path).map_err(LogError::io("list", &self.root))? {
                kept.push(files::move_aside(&*self.files, &path).map_err(LogError::io("move aside", &path))?);
            }
        }
        Ok(kept)
    }

    /// Writes the repaired journal to `path` and syncs it. Returns the content of the `HEAD` file for it.
    fn write_journal(&self, path: &Path) -> Result<Head, LogError> {
        let write_error = |error| LogError::io("write", path)(error);
        let file = self.files.open(path, Mode::Replace).map_err(LogError::io("create", path))?;
        let mut output = JournalOutput {
            file: &*file,
            offset: 0,
            pending: journal::encode_header().to_vec(),
            chain: Chain::ORIGIN,
            recorded_at: Timestamp(0),
        };
        for (index, source) in self.sources.iter().enumerate() {
            self.write_frame(Position(index as u64 + 1), *source, &mut output)?;
            if WRITE_BYTES <= output.pending.len() {
                output.flush().map_err(write_error)?;
            }
        }
        output.flush().map_err(write_error)?;
        file.sync_data().map_err(LogError::io("sync", path))?;
        debug_assert!(HEADER_BYTES as u64 <= output.offset, "the header is always written");
        Ok(Head { position: Position(self.sources.len() as u64), chain: output.chain, journal_length: output.offset })
    }

    /// Appends the frame (encoded event) of one position to the repaired journal, with a hash chain value that
    /// continues the previous frame. Fails with [`LogError::Damaged`] if the planned source has no valid frame any
    /// more.
    fn write_frame(
        &self,
        position: Position,
        source: FrameSource,
        output: &mut JournalOutput<'_>,
    ) -> Result<(), LogError> {
        let bytes = match source {
            FrameSource::Journal { offset, length } => self.read_from_journal(offset, length)?,
            FrameSource::Index => {
                self.index.as_ref().and_then(|index| index.read_frame(position).ok().flatten()).unwrap_or_default()
            }
            FrameSource::Lost => {
                let event = lost_event(position, output.recorded_at);
                output.chain = frame::encode(&mut output.pending, &event, 0, false, output.chain);
                return Ok(());
            }
        };
        let Ok(frame) = frame::decode(&bytes) else {
            let detail = "a record that was whole when the repair was planned is not any more".to_owned();
            return Err(LogError::Damaged { path: self.root.clone(), position, detail });
        };
        output.recorded_at = frame.recorded_at();
        output.chain = frame.write_relinked(&mut output.pending, output.chain);
        Ok(())
    }
}

/// Creates the `log.lost` event that replaces a lost one at `position`. `recorded_at` is the time of the previous
/// event.
fn lost_event(position: Position, recorded_at: Timestamp) -> Recorded {
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
