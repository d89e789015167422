//! The way in: a bounded queue to the writer that never blocks a task.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};
use event_core::NewEvent;
use tokio::sync::{Semaphore, oneshot};

use super::BusError;
use crate::{Appended, Expected, LogError};

/// Batches that may wait for the writer. Producers beyond that wait for a permit.
const QUEUE: usize = 1_024;

/// What the writer is asked to do.
pub(super) enum Request {
    Append(Append),
    /// Ends the writer once everything before it is written.
    Close,
}

pub(super) struct Append {
    pub(super) expected: Expected,
    pub(super) batch: Vec<NewEvent>,
    pub(super) reply: oneshot::Sender<Result<Appended, LogError>>,
}

/// The writer's end of the queue.
pub(super) struct Requests {
    pub(super) queue: Receiver<Request>,
    permits: Arc<Semaphore>,
}

#[derive(Clone)]
pub(super) struct Producer {
    queue: Sender<Request>,
    permits: Arc<Semaphore>,
}

impl Producer {
    pub(super) fn new() -> (Self, Requests) {
        // One place more than there are permits, for `Close`.
        let (sender, queue) = crossbeam_channel::bounded(QUEUE + 1);
        let permits = Arc::new(Semaphore::new(QUEUE));
        (Self { queue: sender, permits: Arc::clone(&permits) }, Requests { queue, permits })
    }

    pub(super) async fn append(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        let permit = self.permits.acquire().await.map_err(|_| BusError::Closed)?;
        // The writer gives it back when it takes the request out of the queue.
        permit.forget();
        let (reply, answer) = oneshot::channel();
        let request = Request::Append(Append { expected, batch, reply });
        // With a permit the queue has room, so this fails only when the writer is gone.
        self.queue.try_send(request).map_err(|_| self.gone())?;
        Ok(answer.await.map_err(|_| self.gone())??)
    }

    /// Refuses producers from now on and asks the writer to end.
    pub(super) fn close(&self) {
        if !self.permits.is_closed() {
            self.permits.close();
            // It fails only when the writer is gone already.
            drop(self.queue.try_send(Request::Close));
        }
    }

    fn gone(&self) -> BusError {
        if self.permits.is_closed() { BusError::Closed } else { BusError::WriterLost }
    }
}

impl Requests {
    /// Room for as many more requests.
    pub(super) fn release(&self, permits: usize) {
        self.permits.add_permits(permits);
    }
}
