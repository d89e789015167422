//! The queue of jobs from the handles of a bus to its thread, and the shared status that states why jobs are refused.

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

/// A closure that runs on the bus thread with mutable access to its state.
pub(super) type StateClosure<S> = Box<dyn FnOnce(&mut S) + Send>;

/// A job for the bus thread, sent through its queue.
pub(super) enum Job<S> {
    /// Runs a closure with the state.
    Command(Command<S>),
    /// Appends a batch to the log.
    Append(Append),
    /// Ends the thread once the queue is empty.
    Close,
}

/// A closure to run on the bus thread, and the time by which the events it records must be durable.
pub(super) struct Command<S> {
    /// The closure; sends its result to the caller itself.
    pub(super) closure: StateClosure<S>,
    /// When the events that the closure records must be durable.
    pub(super) durability: Durability,
}

/// The time by which the events of a command must be durable.
pub(super) enum Durability {
    /// The command records nothing and needs no barrier.
    ReadOnly,
    /// Within [`MAX_BARRIER_DELAY`](super::worker::MAX_BARRIER_DELAY).
    Eventual,
    /// With the next barrier, whose result is sent through this sender.
    Reported(oneshot::Sender<Result<(), LogError>>),
}

/// A batch of events to append to the log. Its positions or its error are sent to the caller after the next disk sync.
pub(super) struct Append {
    /// Head of the log that the batch requires.
    pub(super) expected: Expected,
    /// Events to append, all or none.
    pub(super) batch: Vec<NewEvent>,
    /// Sends the positions or the error to the caller.
    pub(super) reply: oneshot::Sender<Result<Appended, BusError>>,
}

/// Whether and why a bus refuses jobs. Its handles and its thread share one.
#[derive(Debug, Default)]
pub(super) struct BusStatus {
    /// Whether the bus is closing or closed.
    closed: AtomicBool,
    /// Error of the first barrier that failed for another reason than a full disk; empty if none did.
    failure: OnceLock<LogError>,
    /// The error of the latest barrier, if the disk was full.
    full: Mutex<Option<LogError>>,
}

impl BusStatus {
    /// Marks the bus as closed, so that it refuses new jobs. Returns false if it was closed before.
    pub(super) fn close(&self) -> bool {
        !self.closed.swap(true, Ordering::SeqCst)
    }

    /// Returns whether the bus is closing or closed.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Stores the error of a failed disk sync, unless there already is one. Must be called before any reply sender is
    /// dropped, so that [`BusStatus::refusal`] finds the error.
    pub(super) fn fail(&self, error: LogError) {
        let _ = self.failure.set(error);
    }

    /// Returns whether a barrier has failed; the bus then drops all jobs.
    pub(super) fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }

    /// Stores the error of a full disk, or removes it with `None` once there is room. Must be called before any reply
    /// sender is dropped, so that the caller finds the reason.
    pub(super) fn set_full(&self, error: Option<LogError>) {
        *self.full.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }

    /// Returns the error of the latest barrier if the disk was full; `None` otherwise.
    pub(super) fn full(&self) -> Option<LogError> {
        self.full.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the error for a job that the bus refused, or dropped without a reply. In this order: the error of a
    /// failed disk sync or a full disk, [`BusError::Closed`] if the bus is closed, and otherwise
    /// [`BusError::WriterLost`].
    pub(super) fn refusal(&self) -> BusError {
        match self.failure.get().cloned().or_else(|| self.full()) {
            Some(error) => error.into(),
            None if self.is_closed() => BusError::Closed,
            None => BusError::WriterLost,
        }
    }
}

/// The number of waiting jobs from which further ones of callers are refused. Each holds the memory of its request.
/// Notifications and the batches of reactors are not refused: they record the ends of what was accepted.
const MAX_QUEUED_JOBS: usize = 4_096;

/// The sending half of the bus thread's job queue. Sends even if the bus is closing, since reactors append events while
/// it closes.
pub(super) struct JobSender<S> {
    /// Sending half of the queue.
    queue: Sender<Job<S>>,
    /// Status of the bus, for the error of a refused job.
    pub(super) status: Arc<BusStatus>,
}

impl<S> Clone for JobSender<S> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone(), status: Arc::clone(&self.status) }
    }
}

impl<S> JobSender<S> {
    /// Creates a job queue without a size limit. Returns its sender and its receiver.
    pub(super) fn new() -> (Self, Receiver<Job<S>>) {
        let (queue, jobs) = queue::unbounded();
        (Self { queue, status: Arc::default() }, jobs)
    }

    /// Sends a job to the bus thread. If the thread has ended, returns the error of [`BusStatus::refusal`].
    ///
    /// When the thread ends, it drops the receiver, the queued jobs and their reply senders, so no caller waits
    /// forever.
    pub(super) fn send(&self, job: Job<S>) -> Result<(), BusError> {
        self.queue.send(job).map_err(|_| self.status.refusal())
    }

    /// Appends a batch as [`JobSender::append`] does, unless too many jobs wait already.
    pub(super) async fn append_bounded(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        if MAX_QUEUED_JOBS <= self.queue.len() { Err(BusError::Busy) } else { self.append(expected, batch).await }
    }

    /// Sends a job as [`JobSender::send`] does, unless too many jobs wait already. For jobs of callers, whose number is
    /// not limited otherwise.
    pub(super) fn send_bounded(&self, job: Job<S>) -> Result<(), BusError> {
        if MAX_QUEUED_JOBS <= self.queue.len() { Err(BusError::Busy) } else { self.send(job) }
    }

    /// Appends a batch of events to the log and waits until it is durable. Returns the error of staging the batch, or
    /// of the disk sync.
    pub(super) async fn append(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        let (reply, outcome) = oneshot::channel();
        self.send(Job::Append(Append { expected, batch, reply }))?;
        outcome.await.map_err(|_| self.status.refusal())?
    }
}

/// A handle with which a caller waits until the events of its command are durable, returned by
/// [`Bus::command`](super::Bus::command). Dropping it does not affect the events.
pub struct DurabilityHandle {
    /// Resolves after the barrier, with its result.
    pub(super) barrier: oneshot::Receiver<Result<(), LogError>>,
    /// Status of the bus, for the error if the bus thread ends before the barrier.
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
