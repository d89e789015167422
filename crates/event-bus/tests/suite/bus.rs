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

use event_bus::{Appended, Appender, Bus, EventLog, Expected, LogError, ManualClock, MemoryLog};
use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::support::new_events;

fn start(log: Arc<dyn EventLog>) -> Bus {
    Bus::start(Appender::new(log, ManualClock::new(Timestamp(1_000)))).unwrap()
}

fn numbers(first: u64, count: u64) -> Vec<NewEvent> {
    new_events(first..first + count)
}

/// A log that counts its barriers and can be held up in one.
#[derive(Default)]
struct Slow {
    log: MemoryLog,
    gate: Mutex<()>,
    staged: AtomicU64,
    /// Barriers begun, and those with events that passed the gate.
    waiting: AtomicU64,
    barriers: AtomicU64,
}

impl EventLog for Slow {
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError> {
        self.staged.fetch_add(batch.len() as u64, Ordering::SeqCst);
        self.log.append(expected, at, batch)
    }
    fn restore(&self, events: &[Recorded]) -> Result<Appended, LogError> {
        self.log.restore(events)
    }
    fn sync(&self) -> Result<(), LogError> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let _open = self.gate.lock().unwrap();
        self.barriers.fetch_add(self.staged.swap(0, Ordering::SeqCst).min(1), Ordering::SeqCst);
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
