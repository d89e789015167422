//! The bus: producers, commands, subscriptions, views and reactors on one log.

mod commands;
mod producers;
mod reactors;
mod spans;
mod subscriptions_and_views;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use event_bus::{
    Appender, Bus, EventLog, LogError, ManualClock,
    testing::{HookedLog, LogHooks},
};
use event_core::{NewEvent, Timestamp};

use crate::support::new_events;

/// Starts a bus that appends to `log`. Its clock returns the same time always.
fn start(log: Arc<dyn EventLog>) -> Bus {
    Bus::start(Appender::new(log, ManualClock::new(Timestamp(1_000)))).unwrap()
}

/// Creates `count` events, starting with number `first`.
fn numbers(first: u64, count: u64) -> Vec<NewEvent> {
    new_events(first..first + count)
}

/// An in-memory log that counts its barriers and can be suspended in one.
type Slow = HookedLog<BarrierHooks>;

/// Hooks that count barriers, and wait in each until `gate` is unlocked.
#[derive(Default)]
struct BarrierHooks {
    /// Locked by a test to suspend the bus thread in its next barrier.
    gate: Mutex<()>,
    /// Number of events staged since the last barrier.
    staged: AtomicU64,
    /// Number of barriers that have begun.
    waiting: AtomicU64,
    /// Number of non-empty barriers that have passed the gate.
    barriers: AtomicU64,
}

impl LogHooks for BarrierHooks {
    fn before_append(&self, batch: &[NewEvent]) -> Result<(), LogError> {
        self.staged.fetch_add(batch.len() as u64, Ordering::SeqCst);
        Ok(())
    }

    fn before_sync(&self) -> Result<(), LogError> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let _open = self.gate.lock().unwrap();
        self.barriers.fetch_add(self.staged.swap(0, Ordering::SeqCst).min(1), Ordering::SeqCst);
        Ok(())
    }
}
