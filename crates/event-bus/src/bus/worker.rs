//! The loop of the bus thread: runs commands, commits them in groups, publishes the head, and sends the results.

use std::{sync::Arc, time::Duration};

use event_core::Position;

use super::{
    BusError, State,
    queue::{Append, Command, Durability, Job, Status},
};
use crate::{
    Appended, LogError, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, frame,
    sync::{
        Instant, oneshot,
        queue::{Receiver, RecvTimeoutError},
        watch,
    },
};

/// Maximum time for which staged events wait for a barrier if no caller waits for it.
pub(super) const LINGER: Duration = Duration::from_millis(2);

/// Time for which the queue must be empty before the log does deferred work.
const IDLE: Duration = Duration::from_millis(300);

/// Minimum time between two calls of [`State::refresh`].
pub const REFRESH_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum number of callers that wait for one barrier.
const MAX_WAITERS: usize = 64;

/// A caller that waits for the next barrier, with its result so far.
enum Waiter {
    /// A command, which receives the result of the barrier.
    Command(oneshot::Sender<Result<(), LogError>>),
    /// A batch, which receives its own result if the barrier succeeds.
    Append(oneshot::Sender<Result<Appended, BusError>>, Result<Appended, BusError>),
}

/// The bus thread: runs jobs on the state, and commits them in groups.
pub(super) struct Worker<S> {
    /// The state that the bus owns.
    state: S,
    /// Receiving end of the queue.
    jobs: Receiver<Job<S>>,
    /// Publishes the last durable position.
    heads: watch::Sender<Position>,
    /// Whether jobs are accepted, shared with the handles.
    status: Arc<Status>,
    /// Jobs since the last barrier.
    group: Group,
    /// Batch that was taken from the queue but does not fit into the current group.
    held: Option<Append>,
    /// Whether [`Job::Close`] was received.
    closing: bool,
    /// Whether there was a barrier since the log was last idle.
    deferred: bool,
    /// Time of the last refresh.
    refreshed: Option<Instant>,
}

/// Jobs since the last barrier: the callers that wait for the next one, and the size of their batches.
#[derive(Default)]
struct Group {
    /// Callers that wait for the barrier.
    waiters: Vec<Waiter>,
    /// Time at which the first event of the group may have been staged.
    since: Option<Instant>,
    /// Events and bytes of the appended batches. Commands are not counted: the log splits a group that is too large.
    events: usize,
    bytes: usize,
}

impl Group {
    /// Returns whether a batch fits into the group.
    fn has_room_for(&self, append: &Append) -> bool {
        self.events + append.batch.len() <= MAX_BATCH_EVENTS && self.bytes + size(append) <= MAX_BATCH_BYTES
    }

    /// Returns whether the group has waited for [`LINGER`].
    fn is_overdue(&self) -> bool {
        self.since.is_some_and(|since| LINGER <= since.elapsed())
    }
}

/// Returns the size of a batch's frames in bytes.
fn size(append: &Append) -> usize {
    append.batch.iter().map(frame::size).sum()
}

impl<S: State> Worker<S> {
    pub(super) fn new(state: S, jobs: Receiver<Job<S>>, heads: watch::Sender<Position>, status: Arc<Status>) -> Self {
        Self {
            state,
            jobs,
            heads,
            status,
            group: Group::default(),
            held: None,
            closing: false,
            deferred: false,
            refreshed: None,
        }
    }

    /// Runs jobs until the bus is closed or its last handle dropped, and returns the state after the last barrier.
    /// Dropping the head's sender at the end lets subscriptions and views finish.
    pub(super) fn run(mut self) -> S {
        while let Some(job) = self.receive() {
            self.execute(job);
            self.gather();
            if !self.group.waiters.is_empty() || self.group.is_overdue() {
                self.commit();
            }
        }
        if self.group.since.is_some() {
            self.commit();
        }
        self.state
    }

    /// Waits for the next job; `None` if the bus is closed. In the meantime it commits a group that no caller waits
    /// for, and lets an idle log do deferred work.
    fn receive(&mut self) -> Option<Job<S>> {
        if let Some(append) = self.held.take() {
            return Some(Job::Append(append));
        }
        if self.closing {
            return self.jobs.try_recv().ok();
        }
        loop {
            let received = match self.group.since {
                Some(since) => self.jobs.recv_timeout(LINGER.saturating_sub(since.elapsed())),
                None if self.deferred => self.jobs.recv_timeout(IDLE),
                None => self.jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.group.since.is_some() => self.commit(),
                Err(RecvTimeoutError::Timeout) => self.sync_idle(),
            }
        }
    }

    /// Runs further queued jobs that fit into the same barrier, if a caller waits for it.
    fn gather(&mut self) {
        while !self.group.waiters.is_empty() && self.group.waiters.len() < MAX_WAITERS {
            match self.jobs.try_recv() {
                Ok(Job::Append(append)) if !self.group.has_room_for(&append) => {
                    self.held = Some(append);
                    return;
                }
                Ok(job) => self.execute(job),
                Err(_) => return,
            }
        }
    }

    /// Runs a job. After a failed barrier jobs are dropped, and their callers find the error in [`Status`].
    fn execute(&mut self, job: Job<S>) {
        match job {
            Job::Close => self.closing = true,
            _ if self.status.has_failed() => {}
            Job::Command(Command { work, durability }) => {
                self.refresh();
                work(&mut self.state);
                match durability {
                    Durability::ReadOnly => return,
                    Durability::Eventual => {}
                    Durability::Reported(reply) => self.group.waiters.push(Waiter::Command(reply)),
                }
                self.group.since.get_or_insert_with(Instant::now);
            }
            Job::Append(append) => {
                self.group.events += append.batch.len();
                self.group.bytes += size(&append);
                let appended = self.state.append(append.expected, &append.batch);
                self.group.waiters.push(Waiter::Append(append.reply, appended));
                self.group.since.get_or_insert_with(Instant::now);
            }
        }
    }

    /// Refreshes the state, at most every [`REFRESH_INTERVAL`].
    fn refresh(&mut self) {
        if self.refreshed.is_some_and(|refreshed| refreshed.elapsed() < REFRESH_INTERVAL) {
            return;
        }
        self.refreshed = Some(Instant::now());
        self.state.refresh();
        self.group.since.get_or_insert_with(Instant::now);
    }

    /// Makes the group durable, publishes the new head, and sends the results to the callers.
    fn commit(&mut self) {
        self.deferred = true;
        let group = std::mem::take(&mut self.group);
        let committed = self.state.commit();
        match &committed {
            Ok(()) => self.publish(),
            Err(error) => self.fail(error),
        }
        for waiter in group.waiters {
            // Callers whose receiver was dropped are ignored.
            match waiter {
                Waiter::Command(reply) => drop(reply.send(committed.clone())),
                // After a failed barrier no result of a staged batch is valid, not even a conflict.
                Waiter::Append(reply, appended) => {
                    drop(reply.send(committed.clone().map_err(BusError::from).and(appended)));
                }
            }
        }
    }

    /// Publishes the head of the log to subscriptions, views and reactors.
    fn publish(&self) {
        match self.state.log().head() {
            Ok(head) => {
                self.heads.send_if_modified(|published| std::mem::replace(published, head) != head);
            }
            Err(error) => tracing::error!(%error, "the head of the log cannot be read"),
        }
    }

    /// Lets the idle log do its deferred work.
    fn sync_idle(&mut self) {
        self.deferred = false;
        if let Err(error) = self.state.log().sync() {
            self.fail(&error);
        }
    }

    /// Records the error of a barrier, after which jobs are refused.
    fn fail(&self, error: &LogError) {
        tracing::error!(%error, "the log accepts no more events");
        self.status.fail(error.clone());
    }
}
