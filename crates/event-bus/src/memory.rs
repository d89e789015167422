//! The log in memory: for tests, demos and dry runs.

use std::{
    collections::{BTreeMap, HashMap},
    sync::PoisonError,
};

use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{
    Appended, EventLog, Expected, LogError,
    group::Group,
    sync::{Mutex, MutexGuard},
};

/// A log that lives as long as the process. Staged facts are invisible until `sync`, as on the disk.
#[derive(Debug, Default)]
pub struct MemoryLog {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    facts: Vec<Recorded>,
    ids: HashMap<EventId, Position>,
    group: Group,
    checkpoints: BTreeMap<String, Checkpoint>,
}

impl MemoryLog {
    /// An empty log.
    pub fn new() -> Self {
        Self::default()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No call leaves the log half-changed, so a panic elsewhere does not make it wrong.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventLog for MemoryLog {
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError> {
        let mut inner = self.inner();
        let placed = inner.group.place(expected, at, batch, |id| Ok(inner.ids.get(&id).copied()))?;
        Ok(inner.group.stage(placed))
    }

    fn restore(&self, facts: &[Recorded]) -> Result<Appended, LogError> {
        let mut inner = self.inner();
        inner.group.continues_with(facts, |id| Ok(inner.ids.get(&id).copied()))?;
        for fact in facts {
            inner.group.push(fact.clone(), false);
        }
        Ok(Appended { positions: facts.iter().map(|fact| fact.position).collect(), head: inner.group.head() })
    }

    fn sync(&self) -> Result<(), LogError> {
        let mut inner = self.inner();
        for staged in inner.group.take() {
            inner.ids.insert(staged.fact.event.id, staged.fact.position);
            inner.facts.push(staged.fact);
        }
        Ok(())
    }

    fn read_after(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, LogError> {
        let inner = self.inner();
        let start = usize::try_from(after.0).unwrap_or(usize::MAX);
        Ok(inner.facts.iter().skip(start).take(limit).cloned().collect())
    }

    fn head(&self) -> Result<Position, LogError> {
        Ok(self.inner().facts.last().map_or(Position::ORIGIN, |fact| fact.position))
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
}
