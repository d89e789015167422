//! [`HookedLog`], an in-memory log that calls hooks of a test.

use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{Appended, EventLog, Expected, LogError, MemoryLog};

/// Hooks of a test into an event log. They may block, or return an error, which the log's operation then returns
/// without being executed.
pub trait LogHooks: Send + Sync + 'static {
    /// Called before a batch of events is staged.
    ///
    /// # Errors
    /// The error that the append returns.
    fn before_append(&self, batch: &[NewEvent]) -> Result<(), LogError> {
        let _ = batch;
        Ok(())
    }

    /// Called before each disk sync.
    ///
    /// # Errors
    /// The error that the sync returns.
    fn before_sync(&self) -> Result<(), LogError> {
        Ok(())
    }

    /// Called before entries of a state are loaded or saved.
    ///
    /// # Errors
    /// The error that the operation returns.
    fn before_entry(&self) -> Result<(), LogError> {
        Ok(())
    }

    /// Called before at most `limit` events after a position are read.
    fn before_read(&self, after: Position, limit: usize) {
        let _ = (after, limit);
    }
}

/// An in-memory event log for tests that calls hooks before it stages a batch and before each disk sync.
#[derive(Debug, Default)]
pub struct HookedLog<H> {
    /// The wrapped log.
    log: MemoryLog,
    /// Hooks of the test.
    pub hooks: H,
}

impl<H> HookedLog<H> {
    /// Creates an empty log with hooks.
    pub fn new(hooks: H) -> Self {
        Self { log: MemoryLog::new(), hooks }
    }
}

impl<H: LogHooks> EventLog for HookedLog<H> {
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError> {
        self.hooks.before_append(batch)?;
        self.log.append(expected, at, batch)
    }

    fn restore(&self, events: &[Recorded]) -> Result<Appended, LogError> {
        self.log.restore(events)
    }

    fn sync(&self) -> Result<(), LogError> {
        self.hooks.before_sync()?;
        self.log.sync()
    }

    fn read_after(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, LogError> {
        self.hooks.before_read(after, limit);
        self.log.read_after(after, limit)
    }

    fn head(&self) -> Result<Position, LogError> {
        self.log.head()
    }

    fn find(&self, id: EventId) -> Result<Option<Position>, LogError> {
        self.log.find(id)
    }

    fn load_checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, LogError> {
        self.log.load_checkpoint(name)
    }

    fn save_checkpoint(&self, name: &str, checkpoint: &Checkpoint) -> Result<(), LogError> {
        self.log.save_checkpoint(name, checkpoint)
    }

    fn load_entry(&self, projection: &str, key: &str) -> Result<Option<Vec<u8>>, LogError> {
        self.hooks.before_entry()?;
        self.log.load_entry(projection, key)
    }

    fn save_entries(&self, projection: &str, entries: &[(String, Vec<u8>)]) -> Result<(), LogError> {
        self.hooks.before_entry()?;
        self.log.save_entries(projection, entries)
    }

    fn remove_entries(&self, projection: &str) -> Result<(), LogError> {
        self.log.remove_entries(projection)
    }
}
