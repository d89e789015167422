//! An in-memory log that checks that one thread writes to it, and that can fail a barrier.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use event_bus::{Appended, Appender, Bus, EventLog, Expected, LogError, ManualClock, MemoryLog};
use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::explore::thread;

/// Asserts that only one thread assigns positions. The checks are not part of the model: their locks are real and never
/// contended.
#[derive(Debug)]
pub(crate) struct WatchedLog {
    log: MemoryLog,
    writer: Mutex<Option<thread::ThreadId>>,
    /// Number of non-empty barriers that succeed before the first failure.
    barriers_left: AtomicU64,
    staged: AtomicU64,
}

impl WatchedLog {
    pub(crate) fn start() -> (Arc<Self>, Bus) {
        Self::failing_after(u64::MAX)
    }

    /// Creates a log that fails after `barriers` barriers, and a bus on it.
    pub(crate) fn failing_after(barriers: u64) -> (Arc<Self>, Bus) {
        let log = Arc::new(Self {
            log: MemoryLog::new(),
            writer: Mutex::default(),
            barriers_left: AtomicU64::new(barriers),
            staged: AtomicU64::new(0),
        });
        let bus = Bus::start(Appender::new(log.clone(), ManualClock::new(Timestamp(1)))).unwrap();
        (log, bus)
    }

    fn written_by_this_thread(&self) {
        let this = thread::current().id();
        let writer = *self.writer.lock().unwrap().get_or_insert(this);
        assert_eq!(this, writer, "positions are given out in one place");
    }

    fn standing(&self) -> Result<(), LogError> {
        if self.barriers_left.load(Ordering::Relaxed) == 0 {
            return Err(LogError::Stopped { path: "memory".into(), cause: "the test wants it".into() });
        }
        Ok(())
    }
}

impl EventLog for WatchedLog {
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError> {
        self.written_by_this_thread();
        self.standing()?;
        self.staged.fetch_add(1, Ordering::Relaxed);
        self.log.append(expected, at, batch)
    }

    fn restore(&self, events: &[Recorded]) -> Result<Appended, LogError> {
        self.log.restore(events)
    }

    fn sync(&self) -> Result<(), LogError> {
        self.written_by_this_thread();
        self.standing()?;
        if self.staged.swap(0, Ordering::Relaxed) != 0 {
            self.barriers_left.fetch_sub(1, Ordering::Relaxed);
            self.standing()?;
        }
        self.log.sync()
    }

    fn read_after(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, LogError> {
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
}
