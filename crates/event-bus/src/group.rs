//! [`StagedGroup`], the events that were appended to a log but not yet synced to disk: assigns positions, detects
//! repeated ids and enforces limits.
//!
//! The events between two disk syncs form one group. A sync is called a *barrier*.

use std::{collections::HashMap, hash::BuildHasherDefault};

use event_core::{EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{
    Appended, Expected, LogError, MAX_BATCH_BYTES, MAX_BATCH_EVENTS,
    frame::{self, MAX_KIND_BYTES, MAX_PAYLOAD},
    id_hasher::IdHasher,
};

/// An event that was appended to the log, with its position, but is not durable yet.
#[derive(Debug)]
pub(crate) struct StagedEvent {
    /// The event with its position and time.
    pub(crate) recorded: Recorded,
    /// Whether the next staged event belongs to the same batch.
    pub(crate) batch_continues: bool,
}

/// Positions by event id. Limited to the events of one barrier.
type PositionsById = HashMap<EventId, Position, BuildHasherDefault<IdHasher>>;

/// The events that were appended to a log since its last disk sync, in memory. The next sync makes them durable
/// together.
#[derive(Debug, Default)]
pub(crate) struct StagedGroup {
    /// Staged events, in the order of positions.
    events: Vec<StagedEvent>,
    /// Positions of `events` by id.
    ids: PositionsById,
    /// Size of the frames of `events`, in bytes.
    bytes: usize,
    /// Position of the last event of the log, staged events included.
    head: Position,
    /// Time at which that event was recorded; later events have this time or a later one.
    recorded_at: Timestamp,
}

/// A batch of events that have positions in the log but are not staged yet.
#[derive(Debug)]
pub(crate) struct PlacedBatch {
    /// Events of the batch whose ids are new.
    events: Vec<Recorded>,
    /// Size of the frames of `events`, in bytes.
    bytes: usize,
    /// The result of the append, once the batch is staged.
    pub(crate) appended: Appended,
}

impl StagedGroup {
    /// Creates an empty group that continues a log. `head` is the position of the log's last event, `recorded_at` the
    /// time at which the event was recorded.
    pub(crate) fn after(head: Position, recorded_at: Timestamp) -> Self {
        Self { head, recorded_at, ..Self::default() }
    }

    /// Assigns log positions to the new events of a batch, without staging them. `expected` is the head of the log that
    /// the batch requires, `at` the current time; `find_recorded` returns the position of an event id in the log, or
    /// `None`. Events that are already recorded keep their positions. If all are, the batch is a retry, for which
    /// `expected` is not checked.
    ///
    /// # Errors
    /// [`LogError::Oversized`] if a kind or payload is too long, [`LogError::Conflict`] if the head is not `expected`,
    /// [`LogError::BatchOversized`] if the new events exceed the limits of one disk sync, and the errors of
    /// `find_recorded`.
    pub(crate) fn assign_positions(
        &self,
        expected: Expected,
        at: Timestamp,
        batch: &[NewEvent],
        find_recorded: impl Fn(EventId) -> Result<Option<Position>, LogError>,
    ) -> Result<PlacedBatch, LogError> {
        let recorded_at = at.max(self.recorded_at);
        let (mut events, mut positions) = (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()));
        let (mut bytes, mut head) = (0, self.head);
        let mut batch_ids = PositionsById::default();
        for event in batch {
            check_size(event)?;
            let recorded_position = match batch_ids.get(&event.id).or_else(|| self.ids.get(&event.id)) {
                Some(position) => Some(*position),
                None => find_recorded(event.id)?,
            };
            positions.push(recorded_position.unwrap_or_else(|| head.next()));
            if recorded_position.is_none() {
                head = head.next();
                bytes += frame::encoded_size(event);
                if 1 < batch.len() {
                    batch_ids.insert(event.id, head);
                }
                events.push(Recorded::new(head, recorded_at, event.clone()));
            }
        }
        let is_retry = events.is_empty() && !batch.is_empty();
        if let Expected::At(expected) = expected
            && expected != self.head
            && !is_retry
        {
            return Err(LogError::Conflict { expected, actual: self.head });
        }
        if MAX_BATCH_EVENTS < events.len() || MAX_BATCH_BYTES < bytes {
            return Err(LogError::BatchOversized { events: events.len(), bytes });
        }
        Ok(PlacedBatch { events, bytes, appended: Appended { positions, head } })
    }

    /// Returns whether the staged events together with `batch` stay within the limits of one disk sync.
    pub(crate) fn has_room_for(&self, batch: &PlacedBatch) -> bool {
        self.events.len() + batch.events.len() <= MAX_BATCH_EVENTS && self.bytes + batch.bytes <= MAX_BATCH_BYTES
    }

    /// Stages a batch that [`StagedGroup::assign_positions`] returned for the present state of this group. Returns its
    /// result.
    pub(crate) fn stage(&mut self, batch: PlacedBatch) -> Appended {
        let last_index = batch.events.len().saturating_sub(1);
        for (index, recorded) in batch.events.into_iter().enumerate() {
            self.push(recorded, index < last_index);
        }
        batch.appended
    }

    /// Checks that restored events, which have positions and times already, continue the log: consecutive positions,
    /// non-decreasing times, new ids. Stages nothing. `find_recorded` returns the position of an event id in the log,
    /// or `None`.
    ///
    /// # Errors
    /// [`LogError::OutOfOrder`] for a wrong position or time, [`LogError::Repeated`] for a recorded id,
    /// [`LogError::Oversized`] if a kind or payload is too long, and the errors of `find_recorded`.
    pub(crate) fn check_continuation(
        &self,
        events: &[Recorded],
        find_recorded: impl Fn(EventId) -> Result<Option<Position>, LogError>,
    ) -> Result<(), LogError> {
        let (mut head, mut recorded_at) = (self.head, self.recorded_at);
        let mut batch_ids = PositionsById::default();
        for recorded in events {
            let given = recorded.position;
            check_size(&recorded.event)?;
            if given != head.next() {
                return Err(LogError::OutOfOrder { head, given, detail: "positions have no holes" });
            }
            if recorded.recorded_at < recorded_at {
                return Err(LogError::OutOfOrder { head, given, detail: "its time runs backwards" });
            }
            let id = recorded.event.id;
            let recorded_position = match batch_ids.get(&id).or_else(|| self.ids.get(&id)) {
                Some(position) => Some(*position),
                None => find_recorded(id)?,
            };
            if let Some(position) = recorded_position {
                return Err(LogError::Repeated { id, given, position });
            }
            batch_ids.insert(id, given);
            (head, recorded_at) = (given, recorded.recorded_at);
        }
        Ok(())
    }

    /// Returns whether the staged events together with one more stay within the limits of one disk sync.
    pub(crate) fn has_room_for_event(&self, recorded: &Recorded) -> bool {
        self.events.len() < MAX_BATCH_EVENTS && self.bytes + frame::recorded_size(recorded) <= MAX_BATCH_BYTES
    }

    /// Stages an event that directly follows the group's head. `batch_continues` must be set unless it is the last of
    /// its batch.
    pub(crate) fn push(&mut self, recorded: Recorded, batch_continues: bool) {
        self.head = recorded.position;
        self.recorded_at = recorded.recorded_at;
        self.bytes += frame::recorded_size(&recorded);
        self.ids.insert(recorded.event.id, recorded.position);
        self.events.push(StagedEvent { recorded, batch_continues });
    }

    /// Returns the position of the last event of the log, staged events included.
    pub(crate) const fn head(&self) -> Position {
        self.head
    }

    /// Stages events again that [`StagedGroup::take`] returned, for example after a failed write. Nothing may have been
    /// staged since.
    pub(crate) fn put_back(&mut self, events: Vec<StagedEvent>) {
        for StagedEvent { recorded, batch_continues } in events {
            self.push(recorded, batch_continues);
        }
    }

    /// Removes and returns the staged events. The head is unchanged, so later events continue them.
    pub(crate) fn take(&mut self) -> Vec<StagedEvent> {
        self.ids.clear();
        self.bytes = 0;
        std::mem::take(&mut self.events)
    }
}

/// Checks that kind and payload of an event do not exceed the limits of a journal frame.
///
/// # Errors
/// [`LogError::Oversized`] for the first that does.
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
