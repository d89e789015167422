//! [`MemoryLog`], an in-memory log for tests, demos and dry runs.

use std::{
    collections::{BTreeMap, HashMap},
    sync::PoisonError,
};

use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{
    Appended, EventLog, Expected, LogError,
    group::StagedGroup,
    sync::{Mutex, MutexGuard},
};

/// An event log in memory, lost when it is dropped. As in the log on disk, staged events become visible with
/// [`EventLog::sync`].
#[derive(Debug, Default)]
pub struct MemoryLog {
    /// Content of the log.
    inner: Mutex<Inner>,
}

/// The content of a [`MemoryLog`], behind its lock.
#[derive(Debug, Default)]
struct Inner {
    /// Visible events, in the order of positions.
    events: Vec<Recorded>,
    /// Positions of the visible events by id.
    ids: HashMap<EventId, Position>,
    /// Staged events.
    group: StagedGroup,
    /// Checkpoints by name.
    checkpoints: BTreeMap<String, Checkpoint>,
    /// Entries of states, by projection and key.
    entries: BTreeMap<(String, String), Vec<u8>>,
}

impl MemoryLog {
    /// Creates an empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks the content.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No call leaves the log in an inconsistent state, so a poisoned lock is safe to use.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventLog for MemoryLog {
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError> {
        let mut inner = self.inner();
        let placed = inner.group.assign_positions(expected, at, batch, |id| Ok(inner.ids.get(&id).copied()))?;
        Ok(inner.group.stage(placed))
    }

    fn restore(&self, events: &[Recorded]) -> Result<Appended, LogError> {
        let mut inner = self.inner();
        inner.group.check_continuation(events, |id| Ok(inner.ids.get(&id).copied()))?;
        for event in events {
            inner.group.push(event.clone(), false);
        }
        Ok(Appended { positions: events.iter().map(|event| event.position).collect(), head: inner.group.head() })
    }

    fn sync(&self) -> Result<(), LogError> {
        let mut inner = self.inner();
        for staged in inner.group.take() {
            inner.ids.insert(staged.recorded.event.id, staged.recorded.position);
            inner.events.push(staged.recorded);
        }
        Ok(())
    }

    fn read_after(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, LogError> {
        let inner = self.inner();
        let start = usize::try_from(after.0).unwrap_or(usize::MAX);
        Ok(inner.events.iter().skip(start).take(limit).cloned().collect())
    }

    fn head(&self) -> Result<Position, LogError> {
        Ok(self.inner().events.last().map_or(Position::ORIGIN, |event| event.position))
    }

    fn find(&self, id: EventId) -> Result<Option<Position>, LogError> {
        Ok(self.inner().ids.get(&id).copied())
    }

    fn load_checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, LogError> {
        Ok(self.inner().checkpoints.get(name).cloned())
    }

    fn save_checkpoint(&self, name: &str, checkpoint: &Checkpoint) -> Result<(), LogError> {
        self.inner().checkpoints.insert(name.to_owned(), checkpoint.clone());
        Ok(())
    }

    fn load_entry(&self, projection: &str, key: &str) -> Result<Option<Vec<u8>>, LogError> {
        Ok(self.inner().entries.get(&(projection.to_owned(), key.to_owned())).cloned())
    }

    fn save_entries(&self, projection: &str, entries: &[(String, Vec<u8>)]) -> Result<(), LogError> {
        let entries = entries.iter().map(|(key, state)| ((projection.to_owned(), key.clone()), state.clone()));
        self.inner().entries.extend(entries);
        Ok(())
    }

    fn remove_entries(&self, projection: &str) -> Result<(), LogError> {
        self.inner().entries.retain(|(name, _), _| name != projection);
        Ok(())
    }
}
