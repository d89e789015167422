//! The log as everything else sees it: a port with two implementations.

use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{Chain, LogError};

/// The most events one barrier covers, and so the most one batch may hold (decision D16).
pub const MAX_BATCH_EVENTS: usize = 256;

/// The most bytes of frames one barrier covers, and so the most one batch may need (decision D16).
pub const MAX_BATCH_BYTES: usize = 128 * 1024;

/// What the producer of a batch believes about the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Nothing: the batch stands on its own.
    Any,
    /// That the log's last event stands here: what the batch says follows from having read up to it.
    At(Position),
}

/// What became of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Where each event of the batch stands, in the order of the batch; a known id keeps its first place.
    pub positions: Vec<Position>,
    /// Where the log ends after the batch.
    pub head: Position,
}

/// An append-only log of events: positions without holes, ids recorded once, durable before visible.
///
/// `append` and `restore` stage, `sync` makes what is staged durable and then visible: nobody ever reads an event
/// that a crash could take back. Everything staged between two barriers is one group; a conflict in one batch of
/// a group leaves the others alone.
///
/// The calls block for as long as the disk takes. In a program with tasks, use a [`Bus`](crate::Bus).
pub trait EventLog: Send + Sync + 'static {
    /// Stages all of a batch or none of it, stamped with `at` or, should that be earlier, with the time of the
    /// event before: `recorded_at` never runs backwards.
    ///
    /// An event whose id is known, in the log or earlier in the batch, is not stored again. A batch that is known as
    /// a whole is a retry and succeeds whatever it expects.
    ///
    /// # Errors
    /// [`LogError::Conflict`] when the log does not end where the batch expects, [`LogError::Oversized`] and
    /// [`LogError::BatchOversized`] for what the log does not take, all without a trace in the log;
    /// [`LogError::Stopped`] once a write has failed.
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError>;

    /// Stages events with the places and times they already have: an import, or a copy of another log.
    ///
    /// # Errors
    /// [`LogError::OutOfOrder`] unless they continue this log exactly, [`LogError::Repeated`] for an id the log
    /// has; nothing is staged then. Otherwise as [`EventLog::append`].
    fn restore(&self, events: &[Recorded]) -> Result<Appended, LogError>;

    /// Returns once everything staged is on the disk.
    ///
    /// # Errors
    /// [`LogError::Stopped`] when it is not; everything staged is then dropped and the log takes no more.
    fn sync(&self) -> Result<(), LogError>;

    /// At most `limit` events strictly after a position, so that the last position seen is the cursor.
    ///
    /// # Errors
    /// [`LogError::Damaged`] for an event that cannot be read back as it was written.
    fn read_after(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, LogError>;

    /// Where the log ends; [`Position::ORIGIN`] when it is empty.
    ///
    /// # Errors
    /// [`LogError`] when the log cannot be reached.
    fn head(&self) -> Result<Position, LogError>;

    /// Where the event with this id stands.
    ///
    /// # Errors
    /// [`LogError`] when the log cannot be read.
    fn find(&self, id: EventId) -> Result<Option<Position>, LogError>;

    /// The hash chain after the event at a position, or `None` beyond the log's end.
    ///
    /// A log that does not keep it reads every event up to there.
    ///
    /// # Errors
    /// As [`EventLog::read_after`].
    fn chain_at(&self, position: Position) -> Result<Option<Chain>, LogError> {
        /// Events read at once.
        const CHUNK: usize = 1_024;
        let (mut chain, mut reached) = (Chain::ORIGIN, Position::ORIGIN);
        while reached < position {
            let left = usize::try_from(position.0 - reached.0).unwrap_or(CHUNK);
            let events = self.read_after(reached, left.min(CHUNK))?;
            let Some(last) = events.last() else { return Ok(None) };
            reached = last.position;
            chain = events.iter().fold(chain, Chain::after);
        }
        Ok(Some(chain))
    }

    /// The state saved under a name. One that cannot be read back as it was saved counts as none.
    ///
    /// # Errors
    /// [`LogError`] when the log cannot be read.
    fn load_checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, LogError>;

    /// Saves a state under a name, durably, in place of the one before: a crash leaves one of the two.
    ///
    /// # Errors
    /// [`LogError::Stopped`] when it could not be written.
    fn save_checkpoint(&self, name: &str, checkpoint: &Checkpoint) -> Result<(), LogError>;

    /// A last barrier before the program ends. The log stays usable.
    ///
    /// # Errors
    /// As [`EventLog::sync`].
    fn close(&self) -> Result<(), LogError> {
        self.sync()
    }
}
