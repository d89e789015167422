//! What is staged between two barriers: which facts are new, and where they will stand.

use std::{collections::HashMap, hash::BuildHasherDefault};

use event_core::{EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{
    Appended, Expected, LogError, MAX_BATCH_BYTES, MAX_BATCH_EVENTS,
    frame::{self, MAX_KIND_BYTES, MAX_PAYLOAD},
    spread::Spread,
};

/// A staged fact.
#[derive(Debug)]
pub(crate) struct Staged {
    pub(crate) fact: Recorded,
    /// Whether the batch goes on with the next fact.
    pub(crate) goes_on: bool,
}

/// Where facts stand, by id; at most as many as a barrier has.
type Places = HashMap<EventId, Position, BuildHasherDefault<Spread>>;

/// The facts staged since the last barrier.
#[derive(Debug, Default)]
pub(crate) struct Group {
    facts: Vec<Staged>,
    ids: Places,
    bytes: usize,
    head: Position,
    recorded_at: Timestamp,
}

/// A batch that may be staged.
#[derive(Debug)]
pub(crate) struct Batch {
    facts: Vec<Recorded>,
    bytes: usize,
    pub(crate) appended: Appended,
}

impl Group {
    /// An empty group after the last fact of a log.
    pub(crate) fn after(head: Position, recorded_at: Timestamp) -> Self {
        Self { head, recorded_at, ..Self::default() }
    }

    /// Gives each new fact of a batch its place, without staging it. `known` looks an id up in the log.
    pub(crate) fn place(
        &self,
        expected: Expected,
        at: Timestamp,
        batch: &[NewEvent],
        known: impl Fn(EventId) -> Result<Option<Position>, LogError>,
    ) -> Result<Batch, LogError> {
        let recorded_at = at.max(self.recorded_at);
        let (mut facts, mut positions) = (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()));
        let (mut bytes, mut head) = (0, self.head);
        let mut fresh = Places::default();
        for event in batch {
            check_size(event)?;
            let seen = match fresh.get(&event.id).or_else(|| self.ids.get(&event.id)) {
                Some(position) => Some(*position),
                None => known(event.id)?,
            };
            positions.push(seen.unwrap_or_else(|| head.next()));
            if seen.is_none() {
                head = head.next();
                bytes += frame::size(event);
                if 1 < batch.len() {
                    fresh.insert(event.id, head);
                }
                facts.push(Recorded::new(head, recorded_at, event.clone()));
            }
        }
        let retry = facts.is_empty() && !batch.is_empty();
        if let Expected::At(expected) = expected
            && expected != self.head
            && !retry
        {
            return Err(LogError::Conflict { expected, actual: self.head });
        }
        if MAX_BATCH_EVENTS < facts.len() || MAX_BATCH_BYTES < bytes {
            return Err(LogError::BatchOversized { events: facts.len(), bytes });
        }
        Ok(Batch { facts, bytes, appended: Appended { positions, head } })
    }

    /// Whether a batch fits into the barrier this group will be.
    pub(crate) fn has_room_for(&self, batch: &Batch) -> bool {
        self.facts.len() + batch.facts.len() <= MAX_BATCH_EVENTS && self.bytes + batch.bytes <= MAX_BATCH_BYTES
    }

    /// Stages a batch that was placed in this group.
    pub(crate) fn stage(&mut self, batch: Batch) -> Appended {
        let last = batch.facts.len().saturating_sub(1);
        for (index, fact) in batch.facts.into_iter().enumerate() {
            self.push(fact, index < last);
        }
        batch.appended
    }

    /// Checks that facts continue the log as they are.
    pub(crate) fn continues_with(
        &self,
        facts: &[Recorded],
        known: impl Fn(EventId) -> Result<Option<Position>, LogError>,
    ) -> Result<(), LogError> {
        let (mut head, mut recorded_at) = (self.head, self.recorded_at);
        let mut fresh = Places::default();
        for fact in facts {
            let given = fact.position;
            check_size(&fact.event)?;
            if given != head.next() {
                return Err(LogError::OutOfOrder { head, given, detail: "positions have no holes" });
            }
            if fact.recorded_at < recorded_at {
                return Err(LogError::OutOfOrder { head, given, detail: "its time runs backwards" });
            }
            let id = fact.event.id;
            let seen = match fresh.get(&id).or_else(|| self.ids.get(&id)) {
                Some(position) => Some(*position),
                None => known(id)?,
            };
            if let Some(position) = seen {
                return Err(LogError::Repeated { id, given, position });
            }
            fresh.insert(id, given);
            (head, recorded_at) = (given, fact.recorded_at);
        }
        Ok(())
    }

    /// Whether one more fact fits into the barrier this group will be.
    pub(crate) fn has_room_for_fact(&self, fact: &Recorded) -> bool {
        self.facts.len() < MAX_BATCH_EVENTS && self.bytes + frame::size_of(fact) <= MAX_BATCH_BYTES
    }

    /// Stages a fact that continues the group.
    pub(crate) fn push(&mut self, fact: Recorded, goes_on: bool) {
        self.head = fact.position;
        self.recorded_at = fact.recorded_at;
        self.bytes += frame::size_of(&fact);
        self.ids.insert(fact.event.id, fact.position);
        self.facts.push(Staged { fact, goes_on });
    }

    /// Where the log will end after the barrier.
    pub(crate) const fn head(&self) -> Position {
        self.head
    }

    /// Takes what is staged; what is staged next continues it.
    pub(crate) fn take(&mut self) -> Vec<Staged> {
        self.ids.clear();
        self.bytes = 0;
        std::mem::take(&mut self.facts)
    }
}

fn check_size(event: &NewEvent) -> Result<(), LogError> {
    let check = |what, bytes, limit| {
        if bytes <= limit {
            return Ok(());
        }
        Err(LogError::Oversized { id: event.id, kind: event.kind.to_string(), what, bytes, limit })
    };
    check("a payload", event.payload.len(), MAX_PAYLOAD)?;
    check("a kind", event.kind.len(), MAX_KIND_BYTES)
}
