//! [`Session`], the same sequence of operations for all fault tests, and the checks of its result.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use event_bus::{EventLog as _, Expected, JournalReader, LogError, SledLog, files::Files, verify};
use event_core::{Checkpoint, Position, Recorded, Timestamp};

use crate::support::{all, new_events};

/// Number of events in a batch.
const BATCH: u64 = 3;

/// Number of batches of a complete session.
const BATCHES: u64 = 16;

/// Number of events of a complete session.
pub(crate) const FACTS: u64 = BATCH * BATCHES;

/// A session of a program: opens, writes and closes a log three times, then reads it.
#[derive(Debug, Default)]
pub(crate) struct Session {
    /// Number of events that the log has acknowledged.
    pub(crate) acknowledged: AtomicU64,
}

impl Session {
    /// Returns the number of events that the log has acknowledged.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::SeqCst)
    }

    /// Runs the session up to the first error, which it returns with the open log, or `None` if no log was open.
    /// `opened` is called with each opened log, and with `None` when it is closed; `done` is called with the number of
    /// acknowledged events after each barrier.
    pub(crate) fn run(
        &self,
        directory: &Path,
        files: &Arc<dyn Files>,
        opened: impl Fn(Option<&Arc<SledLog>>),
        done: impl Fn(u64),
    ) -> Result<(), (LogError, Option<Arc<SledLog>>)> {
        for (part, batches) in [0..5, 5..9, 9..BATCHES].into_iter().enumerate() {
            let (log, _) = SledLog::open_with(directory, Arc::clone(files)).map_err(|error| (error, None))?;
            // The second part preallocates space for a batch or two.
            let log = Arc::new(log.with_journal_preallocation(if part == 1 { 1_500 } else { 0 }));
            opened(Some(&log));
            let work = || {
                for number in batches {
                    append(&log, number)?;
                    // Two batches share one of the barriers.
                    if number != 2 {
                        log.sync()?;
                        self.acknowledged.store((number + 1) * BATCH, Ordering::SeqCst);
                        done(self.acknowledged());
                    }
                    if number == 1 {
                        log.save_checkpoint("state", &state())?;
                    }
                }
                if part == 2 {
                    assert_eq!(log.load_checkpoint("state")?.unwrap_or_else(state), state());
                }
                log.close()
            };
            work().map_err(|error| (error, Some(Arc::clone(&log))))?;
            opened(None);
        }
        let read = || JournalReader::open_with(directory, &**files)?.read_after(Position::ORIGIN, usize::MAX);
        let events = read().map_err(|error| (error, None))?;
        assert_eq!(events.len() as u64, FACTS);
        Ok(())
    }
}

/// Stages batch number `number`, from 0.
fn append(log: &SledLog, number: u64) -> Result<(), LogError> {
    log.append(Expected::Any, Timestamp(number), &new_events(number * BATCH..(number + 1) * BATCH)).map(drop)
}

/// Returns the checkpoint that the session saves.
fn state() -> Checkpoint {
    Checkpoint { version: 1, position: Position(BATCH), state: vec![7; 5_000] }
}

/// Asserts that `events` are the first appended ones, without parts of batches, and include all acknowledged ones.
pub(crate) fn is_a_prefix(events: &[Recorded], acknowledged: u64, name: &str) {
    let found: Vec<_> = events.iter().map(|event| event.event.clone()).collect();
    assert!(new_events(0..FACTS).starts_with(&found), "{name}: what is there was not appended");
    assert!(acknowledged <= found.len() as u64, "{name}: {acknowledged} acknowledged, {} there", found.len());
    assert!((found.len() as u64).is_multiple_of(BATCH), "{name}: a part of a batch is there");
}

/// Opens the log without faults, appends all batches, so that the missing events are added, and verifies it.
pub(crate) fn goes_on(directory: &Path, acknowledged: u64, name: &str) {
    let (log, _) = SledLog::open(directory).unwrap_or_else(|error| panic!("{name}: {error}"));
    is_a_prefix(&all(&log), acknowledged, name);
    for batch in 0..BATCHES {
        append(&log, batch).unwrap();
    }
    log.close().unwrap();
    is_a_prefix(&all(&log), FACTS, name);
    drop(log);
    let verified = verify(directory).unwrap();
    assert!(verified.is_sound() && verified.events == FACTS, "{name}: {verified:?}");
    assert_eq!((verified.indexed, &verified.notes), (Some(FACTS), &vec![]), "{name}");
}
