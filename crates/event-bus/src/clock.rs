//! [`Clock`], the only source of time for the log, with the system's clock and a manual one for tests.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use event_core::Timestamp;

/// A source of the current time, for the times at which events are recorded.
pub trait Clock: Send + 'static {
    /// Returns the current time. It may be earlier than the result of a previous call.
    fn now(&self) -> Timestamp;
}

/// The clock of the operating system. A time before 1970 is returned as 1970.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock set before 1970 reads as 1970; `recorded_at` never decreases in any case.
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX))
    }
}

/// A clock whose time changes only by [`ManualClock::set`], for tests and demos. Clones share the time.
#[derive(Debug, Clone, Default)]
pub struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    /// Creates a clock that returns `time` until it is set.
    pub fn new(time: Timestamp) -> Self {
        let clock = Self::default();
        clock.set(time);
        clock
    }

    /// Sets the time, forwards or backwards.
    pub fn set(&self, time: Timestamp) {
        self.0.store(time.0, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }
}
