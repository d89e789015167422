//! Helpers shared by the tests of this crate.
#![allow(dead_code, unused_imports, clippy::allow_attributes, reason = "not every test uses all of it")]

use std::{collections::BTreeMap, path::Path};

pub(crate) use event_bus::testing::{new_event, new_events};
use event_bus::{EventLog, Expected, SledLog};
use event_core::{Position, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

/// Runs a future on a runtime of its own, with threads that may wait for the disk.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

/// Creates a log on disk with events 1 to `count`, in barriers of five. Returns its events.
pub(crate) fn filled(directory: &Path, count: u64) -> Vec<Recorded> {
    let (log, _) = SledLog::open(directory).unwrap();
    for first in (1..=count).step_by(5) {
        log.append(Expected::Any, Timestamp(first), &new_events(first..(first + 5).min(count + 1))).unwrap();
        log.sync().unwrap();
    }
    log.read_after(Position::ORIGIN, usize::MAX).unwrap()
}

/// Returns all events of a log.
pub(crate) fn all(log: &dyn EventLog) -> Vec<Recorded> {
    log.read_after(Position::ORIGIN, usize::MAX).unwrap()
}

/// Copies a directory with its content.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A projection that counts events by kind and depends on their order.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kinds {
    /// Number of events by kind.
    pub(crate) counts: BTreeMap<String, u64>,
    /// Hash of positions and times in the order of folding.
    pub(crate) order: u64,
}

impl Projection for Kinds {
    const NAME: &'static str = "test.kinds";
    const VERSION: u32 = 1;

    type Events = ();
    type Folded<'a> = ();

    fn apply(&mut self, (): (), event: &Recorded) {
        *self.counts.entry(event.event.kind.to_string()).or_default() += 1;
        self.order = self.order.wrapping_mul(31).wrapping_add(event.position.0 ^ event.recorded_at.0);
    }
}

/// Returns the number of repetitions: `count` in a quick run, 20 times as many if `TURNWISE_LONG` is set.
pub(crate) fn times(count: usize) -> usize {
    if is_long() { count * 20 } else { count }
}

/// Returns whether `TURNWISE_LONG` is set.
pub(crate) fn is_long() -> bool {
    std::env::var_os("TURNWISE_LONG").is_some()
}

/// Creates an empty directory in memory if the system supports it, to spare the disk.
pub(crate) fn in_memory() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}
