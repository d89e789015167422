//! Following the log: the wake-up carries no data, the data is always read from the log.

use std::{collections::VecDeque, sync::Arc};

use event_core::{Position, Recorded};

use super::BusError;
use crate::{
    EventLog, LogError,
    sync::{task, watch},
};

/// Events read from the log at once.
const CHUNK: usize = 512;

/// What a subscription hands out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The next event.
    Event(Recorded),
    /// There is no next event at present. Comes once after each run of events, and first of all on an old log's end.
    CaughtUp,
}

/// Every event after a position, in order, without holes, those recorded and those to come.
pub struct Subscription {
    log: Arc<dyn EventLog>,
    heads: watch::Receiver<Position>,
    after: Position,
    read: VecDeque<Recorded>,
    told: bool,
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").field("after", &self.after).finish_non_exhaustive()
    }
}

impl Subscription {
    pub(super) fn new(log: Arc<dyn EventLog>, heads: watch::Receiver<Position>, after: Position) -> Self {
        Self { log, heads, after, read: VecDeque::new(), told: false }
    }

    /// The next delivery, or `None` once the bus is closed and everything was delivered.
    ///
    /// Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`BusError::Log`] when the log cannot be read; the next call tries again from the same place.
    pub async fn next(&mut self) -> Result<Option<Delivery>, BusError> {
        loop {
            if let Some(event) = self.read.pop_front() {
                self.after = event.position;
                self.told = false;
                return Ok(Some(Delivery::Event(event)));
            }
            let head = *self.heads.borrow_and_update();
            if self.after < head {
                self.read = read(Arc::clone(&self.log), self.after).await?;
            } else if !self.told {
                self.told = true;
                return Ok(Some(Delivery::CaughtUp));
            } else if self.heads.changed().await.is_err() {
                return Ok(None);
            }
        }
    }
}

/// Reads on a thread that may wait for the disk.
async fn read(log: Arc<dyn EventLog>, after: Position) -> Result<VecDeque<Recorded>, BusError> {
    let events =
        task::spawn_blocking(move || log.read_after(after, CHUNK)).await.map_err(|_| BusError::FollowerLost)??;
    if events.is_empty() {
        // The log said it goes on and then has nothing there: it is not the log it was.
        let detail = "a published event is missing".to_owned();
        return Err(LogError::Damaged { path: "log".into(), position: after.next(), detail }.into());
    }
    Ok(events.into())
}
