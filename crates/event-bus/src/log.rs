//! [`EventLog`], the interface of event logs, implemented in memory and on disk.

use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{Chain, LogError};

/// Maximum number of events in one barrier, and therefore in one batch (decision D16). The index of an event within its
/// barrier is stored in one byte.
pub const MAX_BATCH_EVENTS: usize = 256;

/// Maximum size of the frames in one barrier, and therefore in one batch, in bytes (decision D16): 128 KiB.
pub const MAX_BATCH_BYTES: usize = 128 * 1024;

/// The head of the log (position of its last event) that an append requires, for optimistic concurrency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Append whatever the head is.
    Any,
    /// Append only if the last event of the log, staged events included, has this position; [`Position::ORIGIN`] for an
    /// empty log.
    At(Position),
}

/// Result of appending a batch of events to a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Position of each event, in the order of the batch. An event that was already recorded has its earlier position.
    pub positions: Vec<Position>,
    /// Position of the last event of the log after the batch, staged events included.
    pub head: Position,
}

/// An append-only log of events with contiguous positions and unique ids.
///
/// [`EventLog::append`] and [`EventLog::restore`] only stage events in memory. [`EventLog::sync`], a barrier, makes the
/// staged events durable and then visible to readers, so that a reader never receives an event that a crash could lose.
/// All events staged between two barriers form one group. A conflict in one batch does not affect the other batches.
///
/// Calls block on the disk. Async programs use a [`Bus`](crate::Bus).
pub trait EventLog: Send + Sync + 'static {
    /// Stages a batch of events, all or none. `expected` is the head that the batch requires. `at` is the current time:
    /// events are recorded at `at`, or at the time of the previous event if that is later.
    ///
    /// An event whose id was recorded before, in the log or in the batch, is not stored again. A batch with only
    /// recorded ids is a retry and succeeds whatever `expected` is.
    ///
    /// # Errors
    /// [`LogError::Conflict`] if the head differs from `expected`, [`LogError::Oversized`] and
    /// [`LogError::BatchOversized`] for events above the limits; nothing is staged then. [`LogError::Stopped`] after a
    /// failed write.
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError>;

    /// Stages events with their existing positions and times, for an import or a copy of another log.
    ///
    /// # Errors
    /// [`LogError::OutOfOrder`] unless positions and times continue this log, [`LogError::Repeated`] for an id that is
    /// already recorded; nothing is staged then. Otherwise those of [`EventLog::append`].
    fn restore(&self, events: &[Recorded]) -> Result<Appended, LogError>;

    /// Makes all staged events durable on disk, and then visible to readers. Such a call is a *barrier*.
    ///
    /// # Errors
    /// [`LogError::Full`] if the disk has no room; the staged events remain staged. [`LogError::Stopped`] if the write
    /// fails for another reason; the staged events are then dropped, and the log accepts no more events.
    fn sync(&self) -> Result<(), LogError>;

    /// Reads at most `limit` events with positions greater than `after`, in the order of positions; none if `after` is
    /// at or beyond the head. To read on, call it with the position of the last event that was returned.
    ///
    /// # Errors
    /// [`LogError::Damaged`] for an event that fails verification, [`LogError::Io`] if a file cannot be read.
    fn read_after(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, LogError>;

    /// Returns the position of the last visible event; [`Position::ORIGIN`] if the log is empty.
    ///
    /// # Errors
    /// [`LogError`] if the log cannot be read.
    fn head(&self) -> Result<Position, LogError>;

    /// Returns the position of the event with this id; `None` if no visible event has it.
    ///
    /// # Errors
    /// [`LogError`] if the log cannot be read.
    fn find(&self, id: EventId) -> Result<Option<Position>, LogError>;

    /// Reads the event at a position; `None` at [`Position::ORIGIN`] and after the head.
    ///
    /// # Errors
    /// Those of [`EventLog::read_after`].
    fn event_at(&self, position: Position) -> Result<Option<Recorded>, LogError> {
        let Some(before) = position.previous() else { return Ok(None) };
        Ok(self.read_after(before, 1)?.pop())
    }

    /// Reads the event with this id; `None` if no visible event has it.
    ///
    /// # Errors
    /// Those of [`EventLog::find`] and [`EventLog::read_after`].
    fn event_with_id(&self, id: EventId) -> Result<Option<Recorded>, LogError> {
        match self.find(id)? {
            Some(position) => self.event_at(position),
            None => Ok(None),
        }
    }

    /// Returns the hash chain value of the event at `position`, or [`Chain::ORIGIN`] for [`Position::ORIGIN`]; `None`
    /// if the position is after the head.
    ///
    /// The default implementation reads every event up to the position.
    ///
    /// # Errors
    /// Those of [`EventLog::read_after`].
    fn chain_at(&self, position: Position) -> Result<Option<Chain>, LogError> {
        /// Maximum number of events that are read at once.
        const EVENTS_PER_READ: usize = 1_024;
        let (mut chain, mut reached) = (Chain::ORIGIN, Position::ORIGIN);
        while reached < position {
            let remaining = usize::try_from(position.0 - reached.0).unwrap_or(EVENTS_PER_READ);
            let events = self.read_after(reached, remaining.min(EVENTS_PER_READ))?;
            let Some(last) = events.last() else { return Ok(None) };
            reached = last.position;
            chain = events.iter().fold(chain, Chain::after);
        }
        Ok(Some(chain))
    }

    /// Loads the checkpoint of a projection or reactor saved under `name`; `None` if there is none or it is damaged.
    ///
    /// # Errors
    /// [`LogError`] if the log cannot be read.
    fn load_checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, LogError>;

    /// Replaces the checkpoint saved under `name`, atomically and durably.
    ///
    /// # Errors
    /// [`LogError::Stopped`] if it cannot be written.
    fn save_checkpoint(&self, name: &str, checkpoint: &Checkpoint) -> Result<(), LogError>;

    /// Loads an entry of a projection's state that was saved with [`EventLog::save_entries`]; `None` if there is none.
    ///
    /// # Errors
    /// [`LogError`] if it cannot be read or is damaged.
    fn load_entry(&self, projection: &str, key: &str) -> Result<Option<Vec<u8>>, LogError>;

    /// Saves entries of a projection's state that leave memory, each by its key; replaces earlier ones. They are
    /// durable with the next checkpoint that is saved. The caller first removes the checkpoint of the projection, which
    /// is older than the entries.
    ///
    /// # Errors
    /// [`LogError`] if they cannot be written. Some of them may then be saved.
    fn save_entries(&self, projection: &str, entries: &[(String, Vec<u8>)]) -> Result<(), LogError>;

    /// Removes all entries of a projection, because its state is folded again from the first event.
    ///
    /// # Errors
    /// [`LogError`] if they cannot be removed.
    fn remove_entries(&self, projection: &str) -> Result<(), LogError>;

    /// Makes all events durable and completes deferred work, such as updating the index. Call it before the program
    /// ends. The log stays usable.
    ///
    /// # Errors
    /// Those of [`EventLog::sync`].
    fn close(&self) -> Result<(), LogError> {
        self.sync()
    }
}
