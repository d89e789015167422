//! The way in: a bounded queue to the writer that never blocks a task.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use event_core::NewEvent;

use super::BusError;
use crate::{
    Appended, Expected, LogError,
    sync::{
        QUEUE, Semaphore, oneshot,
        queue::{self, Receiver, Sender},
    },
};

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
    /// Whether the bus was closed; otherwise a writer that is gone was lost.
    closed: Arc<AtomicBool>,
}

impl Producer {
    pub(super) fn new() -> (Self, Requests) {
        // The permits are its bound. A bounded queue would keep what is sent just before the writer goes, and with it
        // the producers that wait for an answer; this one drops it.
        let (sender, queue) = queue::unbounded();
        let permits = Arc::new(Semaphore::new(QUEUE));
        let producer = Self { queue: sender, permits: Arc::clone(&permits), closed: Arc::default() };
        (producer, Requests { queue, permits })
    }

    pub(super) async fn append(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        let permit = self.permits.acquire().await.map_err(|_| self.gone())?;
        // The writer gives it back when it takes the request out of the queue.
        permit.forget();
        let (reply, answer) = oneshot::channel();
        let request = Request::Append(Append { expected, batch, reply });
        // It fails only when the writer is gone.
        self.queue.send(request).map_err(|_| self.gone())?;
        Ok(answer.await.map_err(|_| self.gone())??)
    }

    /// Refuses producers from now on and asks the writer to end.
    pub(super) fn close(&self) {
        if !self.closed.swap(true, Ordering::SeqCst) {
            self.permits.close();
            // It fails only when the writer is gone already.
            drop(self.queue.send(Request::Close));
        }
    }

    fn gone(&self) -> BusError {
        if self.closed.load(Ordering::SeqCst) { BusError::Closed } else { BusError::WriterLost }
    }
}

impl Requests {
    /// Room for as many more requests.
    pub(super) fn release(&self, permits: usize) {
        self.permits.add_permits(permits);
    }
}

impl Drop for Requests {
    /// Whatever ended the writer, nobody waits for it any more.
    fn drop(&mut self) {
        self.permits.close();
    }
}
