//! Following the log event by event. A wake-up carries no data: events are always read from the log.

use std::{collections::VecDeque, sync::Arc};

use event_core::{Position, Recorded};

use super::BusError;
use crate::{
    EventLog, LogError,
    sync::{task, watch},
};

/// Events read from the log at once.
const CHUNK: usize = 512;

/// An item of a [`Subscription`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The next event.
    Event(Recorded),
    /// The head is reached. Delivered once after each run of events, and at the start if the log has none after it.
    CaughtUp,
}

/// Every event after a position, recorded or to come, in order and without gaps.
pub struct Subscription {
    log: Arc<dyn EventLog>,
    heads: watch::Receiver<Position>,
    after: Position,
    read: VecDeque<Recorded>,
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

    /// Returns the next delivery, or `None` once the bus is closed and every event was delivered. Cancel-safe.
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

/// Reads at most `limit` events after a position that is before the head, on a thread that may wait for the disk.
pub(super) async fn read(log: Arc<dyn EventLog>, after: Position, limit: usize) -> Result<Vec<Recorded>, BusError> {
    let events =
        task::spawn_blocking(move || log.read_after(after, limit)).await.map_err(|_| BusError::FollowerLost)??;
    if events.is_empty() {
        let detail = "a published event is missing".to_owned();
        return Err(LogError::Damaged { path: "log".into(), position: after.next(), detail }.into());
    }
    Ok(events)
}
