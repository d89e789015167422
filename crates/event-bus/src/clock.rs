//! The one place where the log learns what time it is.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use event_core::Timestamp;

/// Tells the time. The bus's writer thread is its only caller.
pub trait Clock: Send + 'static {
    /// The present.
    fn now(&self) -> Timestamp;
}

/// The computer's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock set before 1970 reads as 1970; the log stamps no event earlier than the one before it anyway.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
    }
}

/// A clock that stands still until it is set, for tests and demos. Clones tell the same time.
#[derive(Debug, Clone, Default)]
pub struct SetClock(Arc<AtomicU64>);

impl SetClock {
    /// A clock that shows `at`.
    pub fn at(at: Timestamp) -> Self {
        let clock = Self::default();
        clock.set(at);
        clock
    }

    /// Sets it, forwards or backwards.
    pub fn set(&self, at: Timestamp) {
        self.0.store(at.0, Ordering::Relaxed);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }
}
