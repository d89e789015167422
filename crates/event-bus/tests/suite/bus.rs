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

fn start(log: Arc<dyn EventLog>) -> Bus {
    Bus::start(Appender::new(log, ManualClock::new(Timestamp(1_000)))).unwrap()
}

fn numbers(first: u64, count: u64) -> Vec<NewEvent> {
    new_events(first..first + count)
}

/// A log that counts its barriers and can be held up in one.
type Slow = HookedLog<BarrierHooks>;

#[derive(Default)]
struct BarrierHooks {
    gate: Mutex<()>,
    staged: AtomicU64,
    /// Barriers begun, and those with events that passed the gate.
    waiting: AtomicU64,
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
