//! [`SledLog`], the log on disk: a journal as the authoritative record, with sled as its index (decision D16).

mod index_check;
mod index_fill;
mod interrupted_purge;
mod open;
mod preallocation;
mod purge;
mod writer;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard},
};

use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{
    Appended, Chain, EventLog, Expected, LogError, Repair,
    files::{Files, SystemFiles},
    ids::IdIndex,
    index::{Index, IndexFailure},
    journal::ReadableJournal,
    lock::LogLock,
};
pub(crate) use interrupted_purge::complete as complete_interrupted_purge;
pub use purge::PurgeOutcome;
use writer::Writer;

/// An event log in a directory, which this process has opened exclusively.
///
/// | name | content |
/// | --- | --- |
/// | `journal` | every event as a frame with checksum and hash chain value: the authoritative record |
/// | `index` | sled: copies of the frames, and checkpoints; can be rebuilt from the journal |
/// | `HEAD` | a recent end of the log, by which the loss of later events is detected |
/// | `lock` | process and host that have opened the log |
/// | `texts` | long texts, by the hash of their content; see [`TextFiles`](crate::TextFiles) |
#[derive(Debug)]
pub struct SledLog {
    /// The log's directory.
    root: PathBuf,
    /// File system of the log.
    files: Arc<dyn Files>,
    /// The durable part of the log, for readers.
    visible: RwLock<Visible>,
    /// Staged events, journal and deferred work.
    writer: Mutex<Writer>,
    /// Second copy of the frames, and checkpoints.
    index: Index,
    /// Lock of the log.
    #[expect(dead_code, reason = "held while the log is open")]
    lock: LogLock,
}

/// The durable part of the log, which readers use: the journal up to its end, and the ids in it.
#[derive(Debug)]
struct Visible {
    /// The durable part of the journal.
    readable: ReadableJournal,
    /// Positions of all events by id.
    ids: IdIndex,
}

impl SledLog {
    /// Opens the log in a directory; creates both if they are missing. Repairs files that can be derived from the
    /// journal and truncates an unfinished write. Returns the log and the repairs that were made.
    ///
    /// # Errors
    /// [`LogError::InUse`] if another process has opened it; [`LogError::Damaged`] if acknowledged events are missing
    /// or changed, in which case nothing is changed; [`LogError::Format`] for an unknown format version;
    /// [`LogError::Io`] if a file cannot be read or written.
    pub fn open(directory: impl AsRef<Path>) -> Result<(Self, Vec<Repair>), LogError> {
        Self::open_with(directory, Arc::new(SystemFiles))
    }

    /// Opens a log as [`SledLog::open`] does, with a file system other than the operating system's. The index's
    /// database (sled) always uses the operating system's.
    ///
    /// # Errors
    /// As [`SledLog::open`].
    pub fn open_with(directory: impl AsRef<Path>, files: Arc<dyn Files>) -> Result<(Self, Vec<Repair>), LogError> {
        open::open_log(directory.as_ref(), files)
    }

    /// Allows the index to be behind the journal for at most `max_lag`, as long as events are appended or
    /// [`EventLog::sync`] is called. The default is zero.
    ///
    /// A barrier then waits only for the journal, which is the authoritative record; reads never use sled. After a
    /// crash the index is extended to the journal when the log is opened (ADR 16).
    #[must_use]
    pub fn with_max_index_lag(self, max_lag: std::time::Duration) -> Self {
        self.writer().set_max_index_lag(max_lag);
        self
    }

    /// Preallocates `bytes` bytes behind the journal's end whenever they are used up, since a sync that does not change
    /// the length of a file is faster. [`EventLog::close`] truncates the rest, and so does opening a log that was not
    /// closed.
    #[must_use]
    pub fn with_journal_preallocation(self, bytes: usize) -> Self {
        self.writer().set_preallocation(bytes);
        self
    }

    /// Returns the log's directory.
    pub fn directory(&self) -> &Path {
        &self.root
    }

    /// Locks the state of the log's writer. If an earlier lock holder panicked, the writer is stopped, so that nothing
    /// more is written.
    fn writer(&self) -> MutexGuard<'_, Writer> {
        // After a panic during a write the state of the group is unknown, so nothing more is written.
        self.writer.lock().unwrap_or_else(|poisoned| {
            let mut writer = poisoned.into_inner();
            writer.stop("the writer panicked");
            writer
        })
    }

    /// Locks the durable part for reading.
    fn visible(&self) -> RwLockReadGuard<'_, Visible> {
        self.visible.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the error of a checkpoint that the index cannot read or store. After a transient failure, such as a full
    /// disk, the journal continues without the index; any other failure stops the writer.
    fn checkpoint_error(&self, writer: &mut Writer, failure: &IndexFailure) -> LogError {
        if !failure.is_transient() {
            return self.stop_writer(writer, failure);
        }
        writer.leave_index_behind(failure);
        LogError::IndexUnavailable { path: self.root.clone(), cause: failure.to_string().into() }
    }

    /// Extends the index to the end of the journal, and returns the locked writer.
    ///
    /// # Errors
    /// [`LogError::Stopped`] if the writer is stopped or the index cannot be extended, [`LogError::IndexUnavailable`]
    /// after a transient failure of the index.
    fn writer_with_complete_index(&self) -> Result<MutexGuard<'_, Writer>, LogError> {
        let mut writer = self.writer();
        writer.check_running(&self.root)?;
        if let Err(cause) = self.extend_index(&mut writer) {
            writer.stop(&cause);
            return Err(writer.stopped_error(&self.root));
        }
        self.check_index(&writer)?;
        Ok(writer)
    }

    /// Returns [`LogError::IndexUnavailable`] after a transient failure of the index.
    fn check_index(&self, writer: &Writer) -> Result<(), LogError> {
        let Some(cause) = writer.index_failure() else { return Ok(()) };
        Err(LogError::IndexUnavailable { path: self.root.clone(), cause: Arc::clone(cause) })
    }

    /// Stops the writer after a failure of the index. Returns the error of this and every later write.
    fn stop_writer(&self, writer: &mut Writer, cause: &IndexFailure) -> LogError {
        writer.stop(&cause.to_string());
        writer.stopped_error(&self.root)
    }
}

impl EventLog for SledLog {
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError> {
        let mut writer = self.writer();
        writer.check_running(&self.root)?;
        let placed_batch = writer.group.assign_positions(expected, at, batch, |id| self.find(id))?;
        if !writer.group.has_room_for(&placed_batch) {
            self.commit(&mut writer)?;
        }
        Ok(writer.group.stage(placed_batch))
    }

    fn restore(&self, events: &[Recorded]) -> Result<Appended, LogError> {
        let mut writer = self.writer();
        writer.check_running(&self.root)?;
        writer.group.check_continuation(events, |id| self.find(id))?;
        for event in events {
            if !writer.group.has_room_for_event(event) {
                self.commit(&mut writer)?;
            }
            writer.group.push(event.clone(), false);
        }
        Ok(Appended { positions: events.iter().map(|event| event.position).collect(), head: writer.group.head() })
    }

    fn sync(&self) -> Result<(), LogError> {
        self.commit(&mut self.writer())
    }

    fn read_after(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, LogError> {
        let start = self.visible().readable.read_start(after);
        start.read_events(limit)
    }

    fn head(&self) -> Result<Position, LogError> {
        Ok(self.visible().readable.end.position)
    }

    fn find(&self, id: EventId) -> Result<Option<Position>, LogError> {
        let visible = self.visible();
        let candidates = visible.ids.candidates(id).map_err(LogError::io("read the ids of", &self.root))?;
        let end = visible.readable.end.position;
        let starts: Vec<_> = candidates
            .into_iter()
            .filter(|position| *position <= end)
            .map(|position| visible.readable.read_start(Position(position.0.saturating_sub(1))))
            .collect();
        drop(visible);
        for start in starts {
            let event = start.read_events(1)?;
            if let Some(event) = event.first().filter(|event| event.event.id == id) {
                return Ok(Some(event.position));
            }
        }
        Ok(None)
    }

    fn chain_at(&self, position: Position) -> Result<Option<Chain>, LogError> {
        let Some(before) = position.previous() else { return Ok(Some(Chain::ORIGIN)) };
        let start = self.visible().readable.read_start(before);
        start.read_chain()
    }

    fn load_checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, LogError> {
        self.check_index(&self.writer())?;
        self.index.load_checkpoint(name).map_err(|failure| self.checkpoint_error(&mut self.writer(), &failure))
    }

    fn save_checkpoint(&self, name: &str, checkpoint: &Checkpoint) -> Result<(), LogError> {
        let checkpoint_error = |failure: IndexFailure| self.checkpoint_error(&mut self.writer(), &failure);
        // The position of a checkpoint never exceeds that of the index.
        drop(self.writer_with_complete_index()?);
        let mut checkpoint_writer = self.index.checkpoint_writer(name, checkpoint).map_err(checkpoint_error)?;
        loop {
            // Other writers may run between two barriers of a large checkpoint.
            let mut writer = self.writer();
            writer.check_running(&self.root)?;
            match checkpoint_writer.write_part() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(failure) => return Err(self.checkpoint_error(&mut writer, &failure)),
            }
        }
    }

    fn load_entry(&self, projection: &str, key: &str) -> Result<Option<Vec<u8>>, LogError> {
        self.check_index(&self.writer())?;
        let loaded = self.index.load_entry(projection, key);
        loaded.map_err(|failure| self.checkpoint_error(&mut self.writer(), &failure))
    }

    fn save_entries(&self, projection: &str, entries: &[(String, Vec<u8>)]) -> Result<(), LogError> {
        // As for a checkpoint, no entry has an event that the index does not have.
        let mut writer = self.writer_with_complete_index()?;
        let saved = self.index.save_entries(projection, entries);
        saved.map_err(|failure| self.checkpoint_error(&mut writer, &failure))
    }

    fn remove_entries(&self, projection: &str) -> Result<(), LogError> {
        let mut writer = self.writer();
        self.check_index(&writer)?;
        let removed = self.index.remove_entries(projection);
        removed.map_err(|failure| self.checkpoint_error(&mut writer, &failure))
    }

    fn close(&self) -> Result<(), LogError> {
        let mut writer = self.writer();
        self.commit(&mut writer)?;
        self.complete_deferred_work(&mut writer)
    }
}

/// Closes the log. An error is logged.
impl Drop for SledLog {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(%error, "the log was not closed cleanly; it is checked when it is opened again");
        }
    }
}
