//! Appends events to the log and folds them into the state at once, so that the state always corresponds to the end of
//! the log.

use std::{collections::HashSet, sync::Arc};

use contracts::{Event, Sealed, SessionId, TurnId};
use costs::SpendingLedger;
use event_bus::{
    Appended, BusError, Clock, EventLog, Expected, LogError, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, ProjectionSet as _,
};
use event_core::{DecodedEvent, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{error::EngineError, idle_sessions::IdleSessions, past_costs::PastState, router_state::RouterState};

/// The maximum number of bytes that a frame adds to a payload.
const MAX_FRAME_OVERHEAD: usize = 256;

/// Events that are appended to the log as one batch.
#[derive(Default)]
struct Batch {
    /// The encoded events.
    events: Vec<NewEvent>,
    /// The decoded value of each event, where it is known.
    decoded: Vec<Option<Event>>,
    /// An upper bound of their size in bytes.
    bytes: usize,
}

/// The log with the state that is folded from it. Only the recorder writes to the log.
pub(crate) struct Recorder {
    /// The event log.
    log: Arc<dyn EventLog>,
    /// The clock that `recorded_at` of events is read from.
    clock: Box<dyn Clock>,
    /// The state after the last appended event. The state of idle sessions is in the log's index.
    state: RouterState,
    /// The sessions whose state is in memory.
    idle: IdleSessions,
    /// The costs by time, folded like the state; `None` until the first turn is imported.
    past: Option<PastState>,
    /// The number of events since the last disk sync of the log.
    staged_events: usize,
    /// An upper bound of their size in bytes.
    staged_bytes: usize,
    /// The ids of those events, which the log does not return before the sync.
    staged_ids: HashSet<EventId>,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("position", &self.state.position()).finish_non_exhaustive()
    }
}

impl Recorder {
    /// Opens the recorder of a log: folds the log into the state, from the checkpoints in the log where possible.
    pub(crate) fn open(log: Arc<dyn EventLog>, clock: Box<dyn Clock>) -> Result<Self, EngineError> {
        let mut idle = IdleSessions::new();
        let state = idle.fold(log.as_ref())?;
        Ok(Self { log, clock, state, idle, past: None, staged_events: 0, staged_bytes: 0, staged_ids: HashSet::new() })
    }

    /// Returns the event log.
    pub(crate) const fn log(&self) -> &Arc<dyn EventLog> {
        &self.log
    }

    /// Returns the state after the last appended event.
    pub(crate) const fn state(&self) -> &RouterState {
        &self.state
    }

    /// Returns the position of the last event in the state. The last events may not be durable yet.
    pub(crate) fn position(&self) -> Position {
        self.state.position()
    }

    /// Returns the current time of the recorder's clock.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns whether an event with this id is in the log, durable or not.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    pub(crate) fn contains(&self, id: EventId) -> Result<bool, EngineError> {
        Ok(self.staged_ids.contains(&id) || self.log.find(id)?.is_some())
    }

    /// Appends events to the log and folds the new ones into the state. They are durable after the next
    /// [`Recorder::commit`].
    ///
    /// The events are appended in parts that fit into one disk sync. Each part is appended completely or not at all.
    ///
    /// # Errors
    /// [`EngineError`] if an event cannot be encoded or appended to the log.
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
            batch.decoded.push(event.value);
        }
        self.stage(batch)
    }

    /// Appends a batch to the log, whatever its head is. Does nothing if the batch is empty.
    fn stage(&mut self, batch: Batch) -> Result<(), EngineError> {
        let Batch { events, decoded, .. } = batch;
        if !events.is_empty() {
            self.append(Expected::Any, events, decoded)?;
        }
        Ok(())
    }

    /// Appends a batch of events to the log, completely or not at all, and folds the new ones into the state. `decoded`
    /// has the decoded value of each event where there is one. Commits first if the batch does not fit into the present
    /// disk sync.
    pub(crate) fn append(
        &mut self,
        expected: Expected,
        events: Vec<NewEvent>,
        decoded: Vec<Option<Event>>,
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
            let recorded = Recorded::new(*position, now, event);
            let event = match decoded {
                Some(value) => DecodedEvent::with_value(&recorded, value),
                None => DecodedEvent::new(&recorded),
            };
            if let Some(past) = &mut self.past {
                past.advance_decoded(&event).map_err(Arc::new)?;
            }
            if let Err(error) = self.idle.advance(self.log.as_ref(), &mut self.state, &event) {
                if !matches!(error, BusError::Log(_)) {
                    return Err(error);
                }
                // The events are appended. Their session cannot be loaded, so the state is folded from the log.
                self.log.sync()?;
                self.state = self.idle.fold_in_memory(self.log.as_ref(), &error)?;
            }
        }
        Ok(appended)
    }

    /// Loads the state of a session that left memory. Call it before the state of a session is read.
    pub(crate) fn load_session(&mut self, session: &SessionId) -> Result<(), BusError> {
        let loaded = self.idle.load(self.log.as_ref(), &mut self.state, session);
        self.fold_if_failed(loaded)
    }

    /// Loads the patterns of a workspace that left memory; `None` is that of turns without one. Call it before the
    /// patterns are read.
    pub(crate) fn load_workspace(&mut self, workspace: Option<&str>) -> Result<(), BusError> {
        let loaded = self.idle.load_workspace(self.log.as_ref(), &mut self.state, workspace.unwrap_or_default());
        self.fold_if_failed(loaded)
    }

    /// Folds the whole state from the log if a part of it could not be loaded.
    fn fold_if_failed(&mut self, loaded: Result<(), BusError>) -> Result<(), BusError> {
        match loaded {
            Err(error @ BusError::Log(_)) => {
                self.commit()?;
                self.state = self.idle.fold_in_memory(self.log.as_ref(), &error)?;
                Ok(())
            }
            loaded => loaded,
        }
    }

    /// Sets the number of workspaces in memory above which idle ones leave it.
    pub(crate) const fn set_max_workspaces(&mut self, limit: usize) {
        self.idle.set_workspace_limit(limit);
    }

    /// Sets the number of sessions in memory above which idle ones leave it.
    pub(crate) const fn set_max_sessions(&mut self, limit: usize) {
        self.idle.set_limit(limit);
    }

    /// Returns the costs of calls by time. Reads the whole log on the first call.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    pub(crate) fn past_costs(&mut self) -> Result<&SpendingLedger, EngineError> {
        if self.past.is_none() {
            // Only durable events can be read.
            self.commit()?;
            self.past = Some(event_bus::fold_all(self.log.as_ref())?);
        }
        Ok(&self.past.get_or_insert_default().costs)
    }

    /// Folds the state from the log again, after a command panicked. What the command had appended stays.
    pub(crate) fn recover(&mut self) -> Result<(), BusError> {
        self.commit()?;
        self.past = None;
        self.state = self.idle.fold(self.log.as_ref())?;
        Ok(())
    }

    /// Makes all appended events durable.
    ///
    /// # Errors
    /// [`LogError`] if the log cannot be synchronised with the disk.
    pub(crate) fn commit(&mut self) -> Result<(), LogError> {
        if self.staged_events != 0 {
            // After a failed barrier the counts stay, so that every later commit fails as well.
            self.log.sync()?;
            (self.staged_events, self.staged_bytes) = (0, 0);
            self.staged_ids.clear();
            self.idle.evict(self.log.as_ref(), &mut self.state);
        }
        Ok(())
    }

    /// Makes all events durable, and saves the state, so that the next start does not fold the whole log.
    pub(crate) fn close(mut self) -> Result<(), BusError> {
        self.commit()?;
        event_bus::save_all(self.log.as_ref(), &self.state)?;
        Ok(self.log.close()?)
    }
}

/// Creates an event of a turn. Its id is derived from turn, kind and `number`.
pub(crate) fn turn_event<E: event_core::EventType>(
    turn: TurnId,
    number: u64,
    at: Timestamp,
    event: E,
) -> Result<Sealed, EngineError>
where
    Event: From<Arc<E>>,
{
    Ok(Sealed::new(turn.0.then(E::KIND, number), at, turn.0, Arc::new(event))?)
}
