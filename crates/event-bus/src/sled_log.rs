//! The log on the disk: a journal that is the record, sled as the index beside it (decision D16).

mod index_check;
mod open;
mod writer;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
};

use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{
    Appended, EventLog, Expected, LogError, Repair,
    files::{Files, SystemFiles},
    index::{Failure, Index},
    journal::Readable,
    lock::Lock,
};
use writer::Writer;

/// The log in a directory, open for this process alone.
///
/// | name | what it is |
/// | --- | --- |
/// | `journal` | every fact, framed, checked and chained: the record |
/// | `index` | sled: facts by id and position, saved states; can be rebuilt |
/// | `HEAD` | where the log ended a moment ago |
/// | `lock` | who has the log open |
/// | `texts` | long texts by the hash of their content |
#[derive(Debug)]
pub struct SledLog {
    root: PathBuf,
    files: Arc<dyn Files>,
    readable: RwLock<Readable>,
    writer: Mutex<Writer>,
    index: Index,
    #[expect(dead_code, reason = "held while the log is open")]
    lock: Lock,
}

impl SledLog {
    /// Opens or creates the log in a directory, and says what had to be repaired.
    ///
    /// # Errors
    /// [`LogError::InUse`] when another process has it open, [`LogError::Damaged`] when facts that were acknowledged
    /// are missing or changed: nothing is then touched. [`LogError::Format`], [`LogError::Io`].
    pub fn open(directory: impl AsRef<Path>) -> Result<(Self, Vec<Repair>), LogError> {
        Self::open_with(directory, Arc::new(SystemFiles))
    }

    /// [`SledLog::open`] on other files than the operating system's. sled itself always uses the system's.
    ///
    /// # Errors
    /// As [`SledLog::open`].
    pub fn open_with(directory: impl AsRef<Path>, files: Arc<dyn Files>) -> Result<(Self, Vec<Repair>), LogError> {
        open::open(directory.as_ref(), files)
    }

    /// The log's directory.
    pub fn directory(&self) -> &Path {
        &self.root
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        // A panic while writing has left the group in doubt, so nothing more is written.
        self.writer.lock().unwrap_or_else(|poisoned| {
            let mut writer = poisoned.into_inner();
            writer.stop("the writer panicked");
            writer
        })
    }

    fn readable(&self) -> Readable {
        self.readable.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn stopped(&self, writer: &mut Writer, cause: &Failure) -> LogError {
        writer.stop(&cause.to_string());
        writer.stopped_error(&self.root)
    }

    /// What `place` and `restore` ask: the log's own answer, staged facts apart.
    fn known(&self, id: EventId) -> Result<Option<Position>, LogError> {
        self.index
            .find(id)
            .map_err(|failure| LogError::Stopped { path: self.root.clone(), cause: failure.to_string().into() })
    }

    /// A failed index leaves ids in doubt, so nothing more may be written.
    fn stop_if_failed<T>(&self, writer: &mut Writer, outcome: Result<T, LogError>) -> Result<T, LogError> {
        if let Err(LogError::Stopped { cause, .. }) = &outcome {
            writer.stop(cause);
        }
        outcome
    }
}

impl EventLog for SledLog {
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError> {
        let mut writer = self.writer();
        writer.check_running(&self.root)?;
        let placed = writer.group.place(expected, at, batch, |id| self.known(id));
        let placed = self.stop_if_failed(&mut writer, placed)?;
        if !writer.group.has_room_for(&placed) {
            self.commit(&mut writer)?;
        }
        Ok(writer.group.stage(placed))
    }

    fn restore(&self, facts: &[Recorded]) -> Result<Appended, LogError> {
        let mut writer = self.writer();
        writer.check_running(&self.root)?;
        let checked = writer.group.continues_with(facts, |id| self.known(id));
        self.stop_if_failed(&mut writer, checked)?;
        for fact in facts {
            if !writer.group.has_room_for_fact(&fact.event) {
                self.commit(&mut writer)?;
            }
            writer.group.push(fact.clone(), false);
        }
        Ok(Appended { positions: facts.iter().map(|fact| fact.position).collect(), head: writer.group.head() })
    }

    fn sync(&self) -> Result<(), LogError> {
        self.commit(&mut self.writer())
    }

    fn read_after(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, LogError> {
        let start = self.readable.read().unwrap_or_else(PoisonError::into_inner).start(after);
        start.read(limit)
    }

    fn head(&self) -> Result<Position, LogError> {
        Ok(self.readable.read().unwrap_or_else(PoisonError::into_inner).end.position)
    }

    fn find(&self, id: EventId) -> Result<Option<Position>, LogError> {
        let head = self.head()?;
        match self.index.find(id) {
            // What is in the index and not yet published is not durable yet.
            Ok(found) => Ok(found.filter(|position| *position <= head)),
            // The journal knows too; it only takes longer.
            Err(_) => self.readable().start(Position::ORIGIN).find(id),
        }
    }

    fn load_checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, LogError> {
        self.index.load_checkpoint(name).map_err(|failure| self.stopped(&mut self.writer(), &failure))
    }

    fn save_checkpoint(&self, name: &str, checkpoint: &Checkpoint) -> Result<(), LogError> {
        let failed = |failure: Failure| self.stopped(&mut self.writer(), &failure);
        self.writer().check_running(&self.root)?;
        let mut save = self.index.save(name, checkpoint).map_err(failed)?;
        loop {
            // Between two barriers of a large state the log's own writer has its turn.
            let mut writer = self.writer();
            writer.check_running(&self.root)?;
            match save.step() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(failure) => return Err(self.stopped(&mut writer, &failure)),
            }
        }
    }

    fn close(&self) -> Result<(), LogError> {
        let mut writer = self.writer();
        self.commit(&mut writer)?;
        self.write_head(&mut writer)
    }
}

impl Drop for SledLog {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(%error, "the log was not closed cleanly; it is checked when it is opened again");
        }
    }
}
