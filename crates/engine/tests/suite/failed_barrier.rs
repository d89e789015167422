//! A failed barrier: no caller is informed that its events are durable.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use engine::TurnInput;
use event_bus::{Appended, EventLog, Expected, LogError, MemoryLog, MemoryTexts};
use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::support::{Desk, desk::session, models::models};

/// A log in memory whose next barrier fails.
#[derive(Debug, Default)]
struct Failing {
    log: MemoryLog,
    fails: AtomicBool,
}

impl EventLog for Failing {
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError> {
        self.log.append(expected, at, batch)
    }

    fn restore(&self, events: &[Recorded]) -> Result<Appended, LogError> {
        self.log.restore(events)
    }

    fn sync(&self) -> Result<(), LogError> {
        if self.fails.swap(false, Ordering::Relaxed) {
            return Err(LogError::Stopped { path: "log".into(), cause: "no space left".into() });
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

    fn close(&self) -> Result<(), LogError> {
        self.log.close()
    }
}

#[test]
fn what_a_failed_barrier_left_behind_is_still_to_be_made_durable() {
    let log = Arc::new(Failing::default());
    let as_log = Arc::clone(&log) as Arc<dyn EventLog>;
    let mut desk = Desk::open(Some("global_default: sonnet"), as_log, Arc::new(MemoryTexts::new()), models());
    desk.engine.commit().unwrap();
    let before = log.head().unwrap();
    log.fails.store(true, Ordering::Relaxed);
    assert!(desk.arrive(TurnInput::new(session("s"), "t", "hello")).is_err());
    assert_eq!(log.head().unwrap(), before, "nothing of it is on the disk");
    desk.engine.commit().unwrap();
    assert!(before < log.head().unwrap(), "whoever asks next is not told that it was, but makes it so");
}
