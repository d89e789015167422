//! A failed barrier: no caller is informed that its events are durable before they are.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use engine::TurnInput;
use event_bus::{
    EventLog, LogError, MemoryTexts,
    testing::{HookedLog, LogHooks},
};

use crate::support::{Desk, desk::session, models::models};

/// A log hook that makes the next barrier fail, if it is set.
#[derive(Debug, Default)]
struct FailsOnce(AtomicBool);

impl LogHooks for FailsOnce {
    fn before_sync(&self) -> Result<(), LogError> {
        if self.0.swap(false, Ordering::Relaxed) {
            return Err(LogError::Stopped { path: "log".into(), cause: "no space left".into() });
        }
        Ok(())
    }
}

/// After a failed barrier the events are not in the log, and the next commit makes them durable.
#[test]
fn what_a_failed_barrier_left_behind_is_still_to_be_made_durable() {
    let log = Arc::new(HookedLog::<FailsOnce>::default());
    let as_log = Arc::clone(&log) as Arc<dyn EventLog>;
    let mut desk = Desk::open(Some("global_default: sonnet"), as_log, Arc::new(MemoryTexts::new()), models());
    desk.engine.commit().unwrap();
    let before = log.head().unwrap();
    log.hooks.0.store(true, Ordering::Relaxed);
    assert!(desk.arrive(TurnInput::new(session("s"), "t", "hello")).is_err());
    assert_eq!(log.head().unwrap(), before, "nothing of it is on the disk");
    desk.engine.commit().unwrap();
    assert!(before < log.head().unwrap(), "whoever asks next is not told that it was, but makes it so");
}
