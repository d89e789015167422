//! An in-memory log that checks that one thread writes to it, and that can fail a barrier.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use event_bus::{
    Appender, Bus, LogError, ManualClock,
    testing::{HookedLog, LogHooks},
};
use event_core::{NewEvent, Timestamp};

use crate::explore::thread;

/// An in-memory log with [`Checks`] as its hooks.
pub(crate) type WatchedLog = HookedLog<Checks>;

/// Asserts that only one thread appends and syncs, and fails barriers on demand. The locks are not part of the model:
/// they are real and never contended.
#[derive(Debug)]
pub(crate) struct Checks {
    /// The thread that wrote first; `None` before the first write.
    writer: Mutex<Option<thread::ThreadId>>,
    /// Number of non-empty barriers that succeed before the first failure.
    barriers_left: AtomicU64,
    /// Number of batches staged since the last barrier.
    staged: AtomicU64,
}

/// Creates a log that never fails, and a bus on it.
pub(crate) fn start() -> (Arc<WatchedLog>, Bus) {
    failing_after(u64::MAX)
}

/// Creates a log whose non-empty barriers fail after `barriers` successful ones, and a bus on it.
pub(crate) fn failing_after(barriers: u64) -> (Arc<WatchedLog>, Bus) {
    let log = Arc::new(HookedLog::new(Checks {
        writer: Mutex::default(),
        barriers_left: AtomicU64::new(barriers),
        staged: AtomicU64::new(0),
    }));
    let bus = Bus::start(Appender::new(log.clone(), ManualClock::new(Timestamp(1)))).unwrap();
    (log, bus)
}

impl Checks {
    /// Asserts that all writes so far were made by the current thread.
    fn written_by_this_thread(&self) {
        let this = thread::current().id();
        let writer = *self.writer.lock().unwrap().get_or_insert(this);
        assert_eq!(this, writer, "positions are given out in one place");
    }

    /// Returns an error if no successful barriers are left.
    fn standing(&self) -> Result<(), LogError> {
        if self.barriers_left.load(Ordering::Relaxed) == 0 {
            return Err(LogError::Stopped { path: "memory".into(), cause: "the test wants it".into() });
        }
        Ok(())
    }
}

impl LogHooks for Checks {
    fn before_append(&self, _: &[NewEvent]) -> Result<(), LogError> {
        self.written_by_this_thread();
        self.standing()?;
        self.staged.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn before_sync(&self) -> Result<(), LogError> {
        self.written_by_this_thread();
        self.standing()?;
        if self.staged.swap(0, Ordering::Relaxed) != 0 {
            self.barriers_left.fetch_sub(1, Ordering::Relaxed);
            self.standing()?;
        }
        Ok(())
    }
}
