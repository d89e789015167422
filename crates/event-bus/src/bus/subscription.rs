//! [`Subscription`], which delivers the events of the log one by one. A notification contains no data; events are
//! always read from the log.

use std::{collections::VecDeque, sync::Arc};

use event_core::{Position, Recorded};

use super::BusError;
use crate::{
    EventLog, LogError,
    sync::{task, watch},
};

/// Number of events that are read at once.
const CHUNK: usize = 512;

/// An item of a [`Subscription`]: an event, or the notice that the head is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The next event.
    Event(Recorded),
    /// The head is reached. Delivered once after each run of events, and at the start if the log has none after it.
    CaughtUp,
}

/// A stream of all events after a position, already recorded or later ones, in order and without gaps.
pub struct Subscription {
    /// The log that events are read from.
    log: Arc<dyn EventLog>,
    /// The last durable position.
    heads: watch::Receiver<Position>,
    /// Position of the last delivered event.
    after: Position,
    /// Events that were read and not delivered yet.
    read: VecDeque<Recorded>,
    /// Whether [`Delivery::CaughtUp`] was delivered after the last event.
    caught_up: bool,
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").field("after", &self.after).finish_non_exhaustive()
    }
}

impl Subscription {
    pub(super) fn new(log: Arc<dyn EventLog>, heads: watch::Receiver<Position>, after: Position) -> Self {
        Self { log, heads, after, read: VecDeque::new(), caught_up: false }
    }

    /// Returns the next delivery; `None` when the bus is closed and all events were delivered. Cancel-safe.
    ///
    /// # Errors
    /// [`BusError::Log`] if the log cannot be read; the next call tries again from the same position.
    pub async fn next(&mut self) -> Result<Option<Delivery>, BusError> {
        loop {
            if let Some(event) = self.read.pop_front() {
                self.after = event.position;
                self.caught_up = false;
                return Ok(Some(Delivery::Event(event)));
            }
            let head = *self.heads.borrow_and_update();
            if self.after < head {
                self.read = read(Arc::clone(&self.log), self.after, CHUNK).await?.into();
            } else if !self.caught_up {
                self.caught_up = true;
                return Ok(Some(Delivery::CaughtUp));
            } else if self.heads.changed().await.is_err() {
                return Ok(None);
            }
        }
    }
}

/// Reads at most `limit` events after a position before the head, on a blocking thread.
pub(super) async fn read(log: Arc<dyn EventLog>, after: Position, limit: usize) -> Result<Vec<Recorded>, BusError> {
    let events =
        task::spawn_blocking(move || log.read_after(after, limit)).await.map_err(|_| BusError::FollowerLost)??;
    if events.is_empty() {
        let detail = "a published event is missing".to_owned();
        return Err(LogError::Damaged { path: "log".into(), position: after.next(), detail }.into());
    }
    Ok(events)
}
