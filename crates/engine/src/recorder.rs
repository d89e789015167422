//! Appends events and folds them at once, so that the state is always that of the log's end.

use std::{collections::HashSet, sync::Arc};

use contracts::TurnId;
use event_bus::{
    Appended, BusError, Clock, EventLog, Expected, LogError, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, ProjectionSet as _,
};
use event_core::{EventId, Known, NewEvent, Position, Recorded, Sealed, Timestamp};

use crate::{
    error::EngineError,
    past_costs::{PastCosts, PastState},
    router_state::RouterState,
};

/// The maximum number of bytes that a frame adds to a payload.
const MAX_FRAME_OVERHEAD: usize = 256;

/// Events that are appended as one batch.
#[derive(Default)]
struct Batch {
    events: Vec<NewEvent>,
    /// The decoded value of each event, where it is known.
    decoded: Vec<Option<Known>>,
    /// An upper bound of their size in bytes.
    bytes: usize,
}

/// The log with the state that is folded from it. The only writer of the log.
pub(crate) struct Recorder {
    log: Arc<dyn EventLog>,
    clock: Box<dyn Clock>,
    /// The state after the last appended event.
    state: RouterState,
    /// The costs by time, folded like the state; `None` until the first turn is imported.
    past: Option<PastState>,
    /// The number of events since the last barrier.
    staged_events: usize,
    /// An upper bound of their size in bytes.
    staged_bytes: usize,
    /// The ids of those events, which the log does not return before the barrier.
    staged_ids: HashSet<EventId>,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("position", &self.state.position()).finish_non_exhaustive()
    }
}

impl Recorder {
    /// Folds the log into the state, from the checkpoints in the log where possible.
    pub(crate) fn open(log: Arc<dyn EventLog>, clock: Box<dyn Clock>) -> Result<Self, EngineError> {
        let state = event_bus::fold_all(log.as_ref())?;
        Ok(Self { log, clock, state, past: None, staged_events: 0, staged_bytes: 0, staged_ids: HashSet::new() })
    }

    pub(crate) const fn log(&self) -> &Arc<dyn EventLog> {
        &self.log
    }

    pub(crate) const fn state(&self) -> &RouterState {
        &self.state
    }

    /// The position of the last event in the state. Events up to here may not be durable yet.
    pub(crate) fn position(&self) -> Position {
        self.state.position()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Whether an event with this id is in the log, durable or not.
    pub(crate) fn contains(&self, id: EventId) -> Result<bool, EngineError> {
        Ok(self.staged_ids.contains(&id) || self.log.find(id)?.is_some())
    }

    /// Appends events and folds the new ones. They are durable after the next [`Recorder::commit`].
    ///
    /// The events are appended in parts that one barrier can cover. Each part is appended completely or not at all.
    pub(crate) fn record(&mut self, events: impl IntoIterator<Item: Into<Sealed>>) -> Result<(), EngineError> {
        let mut batch = Batch::default();
        for event in events {
            let event = event.into();
            let bytes = event.event.payload.len() + MAX_FRAME_OVERHEAD;
            if MAX_BATCH_EVENTS <= batch.events.len() || MAX_BATCH_BYTES < batch.bytes + bytes {
                self.stage(std::mem::take(&mut batch))?;
            }
            batch.bytes += bytes;
            batch.events.push(event.event);
            batch.decoded.push(event.known);
        }
        self.stage(batch)
    }

    fn stage(&mut self, batch: Batch) -> Result<(), EngineError> {
        let Batch { events, decoded, .. } = batch;
        if !events.is_empty() {
            self.append(Expected::Any, events, decoded)?;
        }
        Ok(())
    }

    /// Appends a batch, completely or not at all, and folds the new events. `decoded` has the decoded value of each event
    /// where there is one. Commits first if the batch does not fit into the present barrier.
    pub(crate) fn append(
        &mut self,
        expected: Expected,
        events: Vec<NewEvent>,
        decoded: Vec<Option<Known>>,
    ) -> Result<Appended, BusError> {
        let bytes: usize = events.iter().map(|event| event.payload.len() + MAX_FRAME_OVERHEAD).sum();
        if MAX_BATCH_EVENTS < self.staged_events + events.len() || MAX_BATCH_BYTES < self.staged_bytes + bytes {
            self.commit()?;
        }
        let now = self.clock.now();
        let appended = self.log.append(expected, now, &events)?;
        self.staged_events += events.len();
        self.staged_bytes += bytes;
        self.staged_ids.extend(events.iter().map(|event| event.id));
        for ((position, event), decoded) in appended.positions.iter().zip(events).zip(decoded) {
            // A repeated event has its earlier position, and was folded then.
            let recorded = Recorded::new(*position, now, event).knowing(decoded);
            if let Some(past) = &mut self.past {
                past.advance(&recorded).map_err(Arc::new)?;
            }
            self.state.advance(&recorded).map_err(Arc::new)?;
        }
        Ok(appended)
    }

    /// Returns the costs by time. Reads the whole log the first time.
    pub(crate) fn past_costs(&mut self) -> Result<&PastCosts, EngineError> {
        if self.past.is_none() {
            // Only durable events can be read.
            self.commit()?;
            self.past = Some(event_bus::fold_all(self.log.as_ref())?);
        }
        Ok(&self.past.get_or_insert_default().costs)
    }

    /// Makes all appended events durable.
    pub(crate) fn commit(&mut self) -> Result<(), LogError> {
        if self.staged_events != 0 {
            // After a failed barrier the counts stay, so that every later commit fails as well.
            self.log.sync()?;
            (self.staged_events, self.staged_bytes) = (0, 0);
            self.staged_ids.clear();
        }
        Ok(())
    }

    /// Commits and saves the state, so that the next start does not fold the whole log.
    pub(crate) fn close(mut self) -> Result<(), BusError> {
        self.commit()?;
        match event_bus::save_all(self.log.as_ref(), &self.state) {
            // The next start folds the events since the previous checkpoints.
            Err(BusError::Log(error)) if error.is_out_of_room() => tracing::warn!(%error, "the state is not saved"),
            saved => saved?,
        }
        Ok(self.log.close()?)
    }
}

/// Creates an event of a turn. Its id is derived from turn, kind and `number`.
pub(crate) fn turn_event<E: event_core::EventType>(
    turn: TurnId,
    number: u64,
    at: Timestamp,
    event: E,
) -> Result<Sealed, EngineError> {
    Ok(Sealed::new(turn.0.then(E::KIND, number), at, turn.0, Arc::new(event))?)
}
