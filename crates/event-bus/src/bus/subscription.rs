//! [`Subscription`], a stream of events. The bus publishes only the position of its head; events are always read from
//! the log.

use std::{collections::VecDeque, sync::Arc};

use event_core::{Position, Recorded};

use super::BusError;
use crate::{
    EventLog, LogError,
    sync::{task, watch},
};

/// Maximum number of events that are read from the log at once.
const EVENTS_PER_READ: usize = 512;

/// An item of a [`Subscription`]: an event, or the notice that all events up to the head were delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The next event.
    Event(Recorded),
    /// All events up to the head were delivered. Delivered once after each run of events, and first if the subscription
    /// starts at the head.
    CaughtUp,
}

/// A stream of every event after a position, in order and without gaps: first those in the log, then new ones once they
/// are durable.
pub struct Subscription {
    /// The log that events are read from.
    log: Arc<dyn EventLog>,
    /// Position of the last durable event. Closed when the bus thread has ended.
    heads: watch::Receiver<Position>,
    /// Position of the last delivered event.
    delivered: Position,
    /// Events that were read from the log but not delivered yet.
    pending: VecDeque<Recorded>,
    /// Whether [`Delivery::CaughtUp`] was delivered since the last event.
    has_caught_up: bool,
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").field("delivered", &self.delivered).finish_non_exhaustive()
    }
}

impl Subscription {
    /// Creates a subscription to the events after `after`.
    pub(super) fn new(log: Arc<dyn EventLog>, heads: watch::Receiver<Position>, after: Position) -> Self {
        Self { log, heads, delivered: after, pending: VecDeque::new(), has_caught_up: false }
    }

    /// Waits for the next item of the event stream; `None` once the bus is closed and every event was delivered.
    /// Dropping the future loses no event.
    ///
    /// # Errors
    /// [`BusError::Log`] if the log cannot be read. The next call reads from the same position.
    pub async fn next(&mut self) -> Result<Option<Delivery>, BusError> {
        loop {
            if let Some(event) = self.pending.pop_front() {
                self.delivered = event.position;
                self.has_caught_up = false;
                return Ok(Some(Delivery::Event(event)));
            }
            let head = *self.heads.borrow_and_update();
            if self.delivered < head {
                self.pending = read_after(Arc::clone(&self.log), self.delivered, EVENTS_PER_READ).await?.into();
            } else if !self.has_caught_up {
                self.has_caught_up = true;
                return Ok(Some(Delivery::CaughtUp));
            } else if self.heads.changed().await.is_err() {
                return Ok(None);
            }
        }
    }
}

/// Reads at most `limit` events after a position of the log, on a thread that may block.
///
/// # Errors
/// [`BusError::Log`] if the log cannot be read or has no event after `after`, which must be before the head;
/// [`BusError::FollowerLost`] if the read panics.
pub(super) async fn read_after(
    log: Arc<dyn EventLog>,
    after: Position,
    limit: usize,
) -> Result<Vec<Recorded>, BusError> {
    let events =
        task::spawn_blocking(move || log.read_after(after, limit)).await.map_err(|_| BusError::FollowerLost)??;
    if events.is_empty() {
        let detail = "a published event is missing".to_owned();
        return Err(LogError::Damaged { path: "log".into(), position: after.next(), detail }.into());
    }
    Ok(events)
}
