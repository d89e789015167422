//! [`EventLog`], the interface of event logs, implemented in memory and on disk.

use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{Chain, LogError};

/// Maximum number of events in one barrier, and therefore in one batch (decision D16). The index of an event within its
/// barrier is stored in one byte.
pub const MAX_BATCH_EVENTS: usize = 256;

/// Maximum size of the frames in one barrier, and therefore in one batch, in bytes (decision D16): 128 KiB.
pub const MAX_BATCH_BYTES: usize = 128 * 1024;

/// Head position that an append requires (optimistic concurrency).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Append whatever the head is.
    Any,
    /// Append only if the last event of the log, staged events included, has this position; [`Position::ORIGIN`] for an
    /// empty log.
    At(Position),
}

/// Result of appending a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Position of each event, in the order of the batch. An event that was already recorded has its earlier position.
    pub positions: Vec<Position>,
    /// Position of the last event of the log after the batch, staged events included.
    pub head: Position,
}

/// An append-only log of events with contiguous positions and unique ids.
///
/// [`EventLog::append`] and [`EventLog::restore`] stage events. [`EventLog::sync`], a barrier, makes staged events
/// durable and then visible, so that a reader never receives an event that a crash could lose. All events staged
/// between two barriers form one group; a conflict in one batch does not affect the other batches.
///
/// Calls block on the disk. Async programs use a [`Bus`](crate::Bus).
pub trait EventLog: Send + Sync + 'static {
    /// Stages a batch, all or nothing. `at` is the current time: events are recorded at `at`, or at the time of the
    /// previous event if that is later.
    ///
    /// An event whose id was recorded before, in the log or in the batch, is not stored again. A batch that has only
    /// recorded ids is a retry and succeeds regardless of `expected`.
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
    /// already recorded; nothing is staged then. Otherwise as [`EventLog::append`].
    fn restore(&self, events: &[Recorded]) -> Result<Appended, LogError>;

    /// Makes all staged events durable, then visible. This call is a barrier.
    ///
    /// # Errors
    /// [`LogError::Stopped`] if the write fails; staged events are dropped and the log accepts no more events.
    fn sync(&self) -> Result<(), LogError>;

    /// Reads at most `limit` events with positions greater than `after`, in the order of positions; none if `after` is
    /// at or beyond the head. To read on, call it with the position of the last event.
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

    /// Returns the hash chain value of the event at `position`, [`Chain::ORIGIN`] for [`Position::ORIGIN`]; `None`
    /// beyond the head.
    ///
    /// The default implementation reads every event up to the position.
    ///
    /// # Errors
    /// As [`EventLog::read_after`].
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

    /// Loads the checkpoint saved under `name`; `None` if there is none or it is damaged.
    ///
    /// # Errors
    /// [`LogError`] if the log cannot be read.
    fn load_checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, LogError>;

    /// Replaces the checkpoint saved under `name`, atomically and durably.
    ///
    /// # Errors
    /// [`LogError::Stopped`] if it cannot be written.
    fn save_checkpoint(&self, name: &str, checkpoint: &Checkpoint) -> Result<(), LogError>;

    /// Makes all events durable and completes deferred work. Call it before the program ends. The log stays usable.
    ///
    /// # Errors
    /// As [`EventLog::sync`].
    fn close(&self) -> Result<(), LogError> {
        self.sync()
    }
}
