//! The queue of jobs from the handles of a bus to its thread.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use event_core::NewEvent;

use super::BusError;
use crate::{
    Appended, Expected, LogError,
    sync::{
        oneshot,
        queue::{self, Receiver, Sender},
    },
};

/// A closure that runs on the bus thread.
pub(super) type Work<S> = Box<dyn FnOnce(&mut S) + Send>;

/// A message from a handle to the bus thread.
pub(super) enum Job<S> {
    /// Runs a closure on the state.
    Command(Command<S>),
    /// Appends a batch.
    Append(Append),
    /// Ends the thread after everything that is queued.
    Close,
}

/// A closure for the bus thread, with the time by which its events must be durable.
pub(super) struct Command<S> {
    /// The closure to run.
    pub(super) work: Work<S>,
    /// Time by which its events must be durable.
    pub(super) durability: Durability,
}

/// Time by which the events of a command must be durable.
pub(super) enum Durability {
    /// The command records nothing.
    ReadOnly,
    /// Within [`LINGER`](super::worker::LINGER).
    Eventual,
    /// With the next barrier, whose result is sent here.
    Reported(oneshot::Sender<Result<(), LogError>>),
}

/// A batch to append, whose result is sent after the barrier.
pub(super) struct Append {
    /// Required head of the log.
    pub(super) expected: Expected,
    /// Events to append.
    pub(super) batch: Vec<NewEvent>,
    /// Receives the result after the barrier.
    pub(super) reply: oneshot::Sender<Result<Appended, BusError>>,
}

/// State that determines whether jobs are accepted, shared by the handles and the thread of a bus.
#[derive(Debug, Default)]
pub(super) struct Status {
    /// Whether the bus is closed to new jobs.
    closed: AtomicBool,
    /// The error of the barrier that failed.
    failure: OnceLock<LogError>,
}

impl Status {
    /// Closes the bus to new jobs. Returns false if it was already closed.
    pub(super) fn close(&self) -> bool {
        !self.closed.swap(true, Ordering::SeqCst)
    }

    /// Returns whether the bus accepts no new jobs.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Records the error of the first failed barrier. Must be called before any reply is dropped, so that its receiver
    /// finds the error.
    pub(super) fn fail(&self, error: LogError) {
        let _ = self.failure.set(error);
    }

    /// Returns whether a barrier has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }

    /// Returns the error of a job whose reply was dropped.
    pub(super) fn refusal(&self) -> BusError {
        match self.failure.get() {
            Some(error) => error.clone().into(),
            None if self.is_closed() => BusError::Closed,
            None => BusError::WriterLost,
        }
    }
}

/// Sending end of the queue. Does not check whether the bus is open, since reactors append while it closes.
pub(super) struct Producer<S> {
    /// Sending end of the queue.
    queue: Sender<Job<S>>,
    /// Whether jobs are accepted.
    pub(super) status: Arc<Status>,
}

impl<S> Clone for Producer<S> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone(), status: Arc::clone(&self.status) }
    }
}

impl<S> Producer<S> {
    /// Creates a queue and returns both ends.
    pub(super) fn new() -> (Self, Receiver<Job<S>>) {
        let (queue, jobs) = queue::unbounded();
        (Self { queue, status: Arc::default() }, jobs)
    }

    /// Sends a job. Dropping the receiver drops all queued jobs, and with them their reply senders.
    pub(super) fn send(&self, job: Job<S>) -> Result<(), BusError> {
        self.queue.send(job).map_err(|_| self.status.refusal())
    }

    /// Sends a batch and waits until it is durable.
    pub(super) async fn append(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        let (reply, answer) = oneshot::channel();
        self.send(Job::Append(Append { expected, batch, reply }))?;
        answer.await.map_err(|_| self.status.refusal())?
    }
}

/// Handle of a command, which resolves when the events of the command are durable.
pub struct DurabilityHandle {
    /// Receives the result of the barrier.
    pub(super) barrier: oneshot::Receiver<Result<(), LogError>>,
    /// The error if the bus thread ends before.
    pub(super) status: Arc<Status>,
}

impl std::fmt::Debug for DurabilityHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DurabilityHandle").finish_non_exhaustive()
    }
}

impl DurabilityHandle {
    /// Waits for the barrier that covers the command.
    ///
    /// # Errors
    /// [`BusError::Log`] if the barrier failed, [`BusError::WriterLost`] if the bus thread ended before it.
    pub async fn wait(self) -> Result<(), BusError> {
        Ok(self.barrier.await.map_err(|_| self.status.refusal())??)
    }
}
