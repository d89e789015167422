//! The queue from the handles of a bus to its thread.

use std::sync::{
    Arc, Mutex, OnceLock, PoisonError,
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

/// A closure that runs on the bus thread with its state.
pub(super) type StateClosure<S> = Box<dyn FnOnce(&mut S) + Send>;

/// A message to the bus thread.
pub(super) enum Job<S> {
    /// Runs a closure.
    Command(Command<S>),
    /// Appends a batch.
    Append(Append),
    /// Ends the thread after everything that is queued.
    Close,
}

/// A closure to run on the bus thread.
pub(super) struct Command<S> {
    /// The closure; it sends the result to the caller itself.
    pub(super) closure: StateClosure<S>,
    pub(super) durability: Durability,
}

/// When the events of a command must be durable.
pub(super) enum Durability {
    /// The command records nothing.
    ReadOnly,
    /// Within [`MAX_BARRIER_DELAY`](super::worker::MAX_BARRIER_DELAY).
    Eventual,
    /// With the next barrier, whose result is sent to the receiver.
    Reported(oneshot::Sender<Result<(), LogError>>),
}

/// A batch to append, whose outcome is sent after the barrier.
pub(super) struct Append {
    /// The head that the batch requires.
    pub(super) expected: Expected,
    pub(super) batch: Vec<NewEvent>,
    /// Receives the outcome.
    pub(super) reply: oneshot::Sender<Result<Appended, BusError>>,
}

/// Whether and why a bus refuses jobs; shared by its handles and its thread.
#[derive(Debug, Default)]
pub(super) struct BusStatus {
    /// Set when the bus closes.
    closed: AtomicBool,
    /// The error of the first barrier that failed for another reason than a full disk.
    failure: OnceLock<LogError>,
    /// The error of the latest barrier, if the disk was full.
    full: Mutex<Option<LogError>>,
}

impl BusStatus {
    /// Marks the bus as closed, so that it refuses new jobs. Returns false if it was closed before.
    pub(super) fn close(&self) -> bool {
        !self.closed.swap(true, Ordering::SeqCst)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Records the first failed barrier. Must precede the drop of any reply, so that its receiver finds the reason.
    pub(super) fn fail(&self, error: LogError) {
        let _ = self.failure.set(error);
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }

    /// Records that the disk is full, or with `None` that there is room again. Must precede the drop of any reply, so that its
    /// receiver finds the reason.
    pub(super) fn set_full(&self, error: Option<LogError>) {
        *self.full.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }

    /// Returns the error of the latest barrier if the disk was full; `None` otherwise.
    pub(super) fn full(&self) -> Option<LogError> {
        self.full.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the error of a job whose reply sender was dropped without a reply.
    pub(super) fn refusal(&self) -> BusError {
        match self.failure.get().cloned().or_else(|| self.full()) {
            Some(error) => error.into(),
            None if self.is_closed() => BusError::Closed,
            None => BusError::WriterLost,
        }
    }
}

/// Sends jobs to the bus thread. Does not check that the bus is open, since reactors append while it closes.
pub(super) struct JobSender<S> {
    queue: Sender<Job<S>>,
    pub(super) status: Arc<BusStatus>,
}

impl<S> Clone for JobSender<S> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone(), status: Arc::clone(&self.status) }
    }
}

impl<S> JobSender<S> {
    /// Creates the queue. Returns its sender and its receiver.
    pub(super) fn new() -> (Self, Receiver<Job<S>>) {
        let (queue, jobs) = queue::unbounded();
        (Self { queue, status: Arc::default() }, jobs)
    }

    /// Sends a job. Fails if the bus thread has ended.
    ///
    /// When the thread ends, it drops the receiver, the queued jobs and their reply senders, so no caller waits
    /// forever.
    pub(super) fn send(&self, job: Job<S>) -> Result<(), BusError> {
        self.queue.send(job).map_err(|_| self.status.refusal())
    }

    /// Appends a batch and waits until it is durable.
    pub(super) async fn append(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        let (reply, outcome) = oneshot::channel();
        self.send(Job::Append(Append { expected, batch, reply }))?;
        outcome.await.map_err(|_| self.status.refusal())?
    }
}

/// A handle of the barrier that makes the events of a command durable, returned by
/// [`Bus::command`](super::Bus::command).
pub struct DurabilityHandle {
    /// Resolves after the barrier, with its result.
    pub(super) barrier: oneshot::Receiver<Result<(), LogError>>,
    pub(super) status: Arc<BusStatus>,
}

impl std::fmt::Debug for DurabilityHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DurabilityHandle").finish_non_exhaustive()
    }
}

impl DurabilityHandle {
    /// Waits until the events of the command are durable.
    ///
    /// # Errors
    /// [`BusError::Log`] if the barrier failed, [`BusError::WriterLost`] if the bus thread ended before it.
    pub async fn wait(self) -> Result<(), BusError> {
        Ok(self.barrier.await.map_err(|_| self.status.refusal())??)
    }
}
