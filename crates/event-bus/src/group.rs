//! Events staged between two barriers: deduplication by id and assignment of positions.

use std::{collections::HashMap, hash::BuildHasherDefault};

use event_core::{EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{
    Appended, Expected, LogError, MAX_BATCH_BYTES, MAX_BATCH_EVENTS,
    frame::{self, MAX_KIND_BYTES, MAX_PAYLOAD},
    spread::Spread,
};

/// An event that was appended but is not durable yet, with its position.
#[derive(Debug)]
pub(crate) struct Staged {
    /// The event with its position.
    pub(crate) recorded: Recorded,
    /// Whether the next staged event belongs to the same batch.
    pub(crate) goes_on: bool,
}

/// Positions by event id; at most [`MAX_BATCH_EVENTS`] entries.
type Places = HashMap<EventId, Position, BuildHasherDefault<Spread>>;

/// Events staged since the last barrier, with their positions and ids. Both log implementations use it.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// Staged events, in order.
    events: Vec<Staged>,
    /// Positions of the staged events, by id.
    ids: Places,
    /// Size of their frames in bytes.
    bytes: usize,
    /// Position of the last event, staged or recorded.
    head: Position,
    /// Time of that event.
    recorded_at: Timestamp,
}

/// A batch whose new events have positions but are not staged yet.
#[derive(Debug)]
pub(crate) struct Batch {
    /// New events of the batch.
    events: Vec<Recorded>,
    /// Size of their frames in bytes.
    bytes: usize,
    /// Positions of all events of the batch.
    pub(crate) appended: Appended,
}

impl Group {
    /// Creates an empty group that continues a log at `head`.
    pub(crate) fn after(head: Position, recorded_at: Timestamp) -> Self {
        Self { head, recorded_at, ..Self::default() }
    }

    /// Assigns positions to the new events of a batch without staging them. `known` resolves an id to its position in
    /// the log.
    ///
    /// # Errors
    /// [`LogError::Oversized`], [`LogError::Conflict`] and [`LogError::BatchOversized`].
    pub(crate) fn place(
        &self,
        expected: Expected,
        at: Timestamp,
        batch: &[NewEvent],
        known: impl Fn(EventId) -> Result<Option<Position>, LogError>,
    ) -> Result<Batch, LogError> {
        let recorded_at = at.max(self.recorded_at);
        let (mut events, mut positions) = (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()));
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
                events.push(Recorded::new(head, recorded_at, event.clone()));
            }
        }
        let retry = events.is_empty() && !batch.is_empty();
        if let Expected::At(expected) = expected
            && expected != self.head
            && !retry
        {
            return Err(LogError::Conflict { expected, actual: self.head });
        }
        if MAX_BATCH_EVENTS < events.len() || MAX_BATCH_BYTES < bytes {
            return Err(LogError::BatchOversized { events: events.len(), bytes });
        }
        Ok(Batch { events, bytes, appended: Appended { positions, head } })
    }

    /// Returns whether the group plus a batch stays within the limits of one barrier.
    pub(crate) fn has_room_for(&self, batch: &Batch) -> bool {
        self.events.len() + batch.events.len() <= MAX_BATCH_EVENTS && self.bytes + batch.bytes <= MAX_BATCH_BYTES
    }

    /// Stages a batch returned by [`Group::place`] of this group.
    pub(crate) fn stage(&mut self, batch: Batch) -> Appended {
        let last = batch.events.len().saturating_sub(1);
        for (index, recorded) in batch.events.into_iter().enumerate() {
            self.push(recorded, index < last);
        }
        batch.appended
    }

    /// Validates that recorded events continue the log: consecutive positions, non-decreasing times, unknown ids.
    ///
    /// # Errors
    /// [`LogError::OutOfOrder`], [`LogError::Repeated`] and [`LogError::Oversized`].
    pub(crate) fn continues_with(
        &self,
        events: &[Recorded],
        known: impl Fn(EventId) -> Result<Option<Position>, LogError>,
    ) -> Result<(), LogError> {
        let (mut head, mut recorded_at) = (self.head, self.recorded_at);
        let mut fresh = Places::default();
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
            let seen = match fresh.get(&id).or_else(|| self.ids.get(&id)) {
                Some(position) => Some(*position),
                None => known(id)?,
            };
            if let Some(position) = seen {
                return Err(LogError::Repeated { id, given, position });
            }
            fresh.insert(id, given);
            (head, recorded_at) = (given, recorded.recorded_at);
        }
        Ok(())
    }

    /// Returns whether the group plus one event stays within the limits of one barrier.
    pub(crate) fn has_room_for_event(&self, recorded: &Recorded) -> bool {
        self.events.len() < MAX_BATCH_EVENTS && self.bytes + frame::size_of(recorded) <= MAX_BATCH_BYTES
    }

    /// Stages an event that directly follows the group's head.
    pub(crate) fn push(&mut self, recorded: Recorded, goes_on: bool) {
        self.head = recorded.position;
        self.recorded_at = recorded.recorded_at;
        self.bytes += frame::size_of(&recorded);
        self.ids.insert(recorded.event.id, recorded.position);
        self.events.push(Staged { recorded, goes_on });
    }

    /// Returns the position of the last event, including staged events.
    pub(crate) const fn head(&self) -> Position {
        self.head
    }

    /// Removes and returns the staged events. The head stays, so later events continue them.
    pub(crate) fn take(&mut self) -> Vec<Staged> {
        self.ids.clear();
        self.bytes = 0;
        std::mem::take(&mut self.events)
    }
}

/// Validates kind and payload of an event against the limits of a frame.
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
