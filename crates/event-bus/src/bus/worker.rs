//! The loop of the bus thread: runs commands, commits them in groups, publishes the head, and replies to the callers.

use std::{sync::Arc, time::Duration};

use event_core::Position;

use super::{
    BusError, State,
    queue::{Append, BusStatus, Command, Durability, Job, StateClosure},
};
use crate::{
    Appended, LogError, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, frame,
    sync::{
        Instant, oneshot,
        queue::{Receiver, RecvTimeoutError},
        watch,
    },
};

/// Maximum time from staging an event to its barrier if no caller waits for the barrier.
pub(super) const MAX_BARRIER_DELAY: Duration = Duration::from_millis(2);

/// Time for which the queue must be empty before the log does its deferred work, such as updating its index.
const IDLE_DELAY: Duration = Duration::from_millis(300);

/// The time between two attempts to write to a full disk, if no command arrives.
const FULL_DISK_DELAY: Duration = Duration::from_secs(1);

/// Maximum number of callers that wait for the same barrier.
const MAX_WAITERS: usize = 64;

/// A caller that receives its reply after the next barrier.
enum Waiter {
    /// A command that has run; receives the result of the barrier.
    Command(oneshot::Sender<Result<(), LogError>>),
    /// A batch with the result of staging it. Receives that result, or the error of the barrier.
    Append(oneshot::Sender<Result<Appended, BusError>>, Result<Appended, BusError>),
}

/// The bus thread's loop: owns the state and runs the jobs of the queue.
pub(super) struct Worker<S> {
    /// The state, which owns the log.
    state: S,
    /// Receiving half of the queue.
    jobs: Receiver<Job<S>>,
    /// Publishes the position of the last durable event.
    heads: watch::Sender<Position>,
    /// Status shared with the handles; receives the error of a failed barrier.
    status: Arc<BusStatus>,
    /// Commands and batches since the last barrier.
    group: CommitGroup,
    /// A batch that was taken from the queue but does not fit into the current group.
    postponed: Option<Append>,
    /// Whether [`Job::Close`] was received.
    closing: bool,
    /// Whether the log may have deferred work: a barrier was made since the last call of [`Worker::sync_idle`].
    has_deferred_work: bool,
    /// Whether the last barrier failed because the disk was full.
    is_full: bool,
    /// Closures of notifications that wait until there is room.
    waiting: Vec<StateClosure<S>>,
}

/// The commands and batches that the next barrier makes durable.
#[derive(Default)]
struct CommitGroup {
    /// Callers to reply to after the barrier.
    waiters: Vec<Waiter>,
    /// Time at which the first event of the group may have been staged; `None` if none was.
    staged_at: Option<Instant>,
    /// Number of events of the appended batches. Events of commands are not counted: the log splits a group that is too
    /// large.
    events: usize,
    /// Size of the frames of the appended batches, in bytes.
    bytes: usize,
}

impl CommitGroup {
    /// Returns whether a batch fits into the next barrier together with the batches of the group.
    fn has_room_for(&self, append: &Append) -> bool {
        self.events + append.batch.len() <= MAX_BATCH_EVENTS && self.bytes + frame_bytes(append) <= MAX_BATCH_BYTES
    }

    /// Records that events may have been staged now, unless the group has an earlier time.
    fn mark_staged(&mut self) {
        self.staged_at.get_or_insert_with(Instant::now);
    }

    /// Returns whether events were staged [`MAX_BARRIER_DELAY`] ago or earlier, so that the barrier is due.
    fn is_overdue(&self) -> bool {
        self.staged_at.is_some_and(|staged_at| MAX_BARRIER_DELAY <= staged_at.elapsed())
    }
}

/// Returns the size of the frames of a batch, in bytes.
fn frame_bytes(append: &Append) -> usize {
    append.batch.iter().map(frame::encoded_size).sum()
}

impl<S: State> Worker<S> {
    /// Creates the worker of a state. It receives jobs from `jobs`, publishes the position of the last durable event to
    /// `heads`, and stores the error of a failed barrier in `status`.
    pub(super) fn new(
        state: S,
        jobs: Receiver<Job<S>>,
        heads: watch::Sender<Position>,
        status: Arc<BusStatus>,
    ) -> Self {
        Self {
            state,
            jobs,
            heads,
            status,
            group: CommitGroup::default(),
            postponed: None,
            closing: false,
            has_deferred_work: false,
            is_full: false,
            waiting: Vec::new(),
        }
    }

    /// Runs jobs until the bus is closed or its last handle dropped. Returns the state after the last barrier. Dropping
    /// the sender of the head at the end lets subscriptions and views finish.
    pub(super) fn run(mut self) -> S {
        while let Some(job) = self.receive() {
            self.execute(job);
            self.execute_queued();
            if !self.group.waiters.is_empty() || self.group.is_overdue() {
                self.commit();
            }
        }
        if self.is_full {
            self.retry();
        }
        if self.group.staged_at.is_some() {
            self.commit();
        }
        self.state
    }

    /// Waits for the next job; `None` if the bus is closed and the queue is empty. While it waits, commits the group
    /// when it is overdue, and lets an idle log do its deferred work.
    fn receive(&mut self) -> Option<Job<S>> {
        if let Some(append) = self.postponed.take() {
            return Some(Job::Append(append));
        }
        if self.closing {
            return self.jobs.try_recv().ok();
        }
        loop {
            let received = match self.group.staged_at {
                Some(staged_at) => self.jobs.recv_timeout(MAX_BARRIER_DELAY.saturating_sub(staged_at.elapsed())),
                None if self.is_full => self.jobs.recv_timeout(FULL_DISK_DELAY),
                None if self.has_deferred_work => self.jobs.recv_timeout(IDLE_DELAY),
                None => self.jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.group.staged_at.is_some() => self.commit(),
                Err(RecvTimeoutError::Timeout) if self.is_full => drop(self.retry()),
                Err(RecvTimeoutError::Timeout) => self.sync_idle(),
            }
        }
    }

    /// Runs queued jobs while a caller waits for the barrier, until the queue is empty or the barrier is full. A batch
    /// that does not fit is postponed to the next group.
    fn execute_queued(&mut self) {
        while !self.group.waiters.is_empty() && self.group.waiters.len() < MAX_WAITERS {
            match self.jobs.try_recv() {
                Ok(Job::Append(append)) if !self.group.has_room_for(&append) => {
                    self.postponed = Some(append);
                    return;
                }
                Ok(job) => self.execute(job),
                Err(_) => return,
            }
        }
    }

    /// Runs a job and adds its caller to the group. After a failed barrier, commands and batches are dropped instead;
    /// their callers receive the error from [`BusStatus`].
    fn execute(&mut self, job: Job<S>) {
        match job {
            Job::Close => self.closing = true,
            _ if self.status.has_failed() => {}
            job if self.is_full => self.execute_while_full(job),
            job => self.execute_now(job),
        }
    }

    /// Runs a job while the disk is full, if it records nothing. A notification waits until there is room; any other job
    /// first tries whether there is room, and is dropped if not.
    fn execute_while_full(&mut self, job: Job<S>) {
        match job {
            Job::Command(Command { closure, durability: Durability::ReadOnly }) => closure(&mut self.state),
            Job::Command(Command { closure, durability: Durability::Eventual }) => self.waiting.push(closure),
            job => {
                if self.retry() {
                    self.execute_now(job);
                }
            }
        }
    }

    /// Runs a job.
    fn execute_now(&mut self, job: Job<S>) {
        match job {
            Job::Close => self.closing = true,
            Job::Command(Command { closure, durability }) => {
                if self.state.refresh() {
                    self.group.mark_staged();
                }
                closure(&mut self.state);
                match durability {
                    Durability::ReadOnly => return,
                    Durability::Eventual => {}
                    Durability::Reported(reply) => self.group.waiters.push(Waiter::Command(reply)),
                }
                self.group.mark_staged();
            }
            Job::Append(append) => {
                self.group.events += append.batch.len();
                self.group.bytes += frame_bytes(&append);
                let appended = self.state.append(append.expected, &append.batch);
                self.group.waiters.push(Waiter::Append(append.reply, appended));
                self.group.mark_staged();
            }
        }
    }

    /// Tries again to make the staged events durable after the disk was full, and runs the notifications that waited.
    /// Returns whether there is room.
    fn retry(&mut self) -> bool {
        self.commit();
        if self.is_full || self.status.has_failed() {
            return false;
        }
        for closure in std::mem::take(&mut self.waiting) {
            closure(&mut self.state);
            self.group.mark_staged();
        }
        true
    }

    /// Makes the group durable, publishes the new head, then replies to the callers. After a failure the head is not
    /// published, and every caller receives the error.
    fn commit(&mut self) {
        self.has_deferred_work = true;
        let group = std::mem::take(&mut self.group);
        let committed = self.state.commit();
        match &committed {
            Ok(()) => {
                if std::mem::take(&mut self.is_full) {
                    self.status.set_full(None);
                }
                self.publish();
            }
            Err(error) if error.is_out_of_room() => {
                self.is_full = true;
                self.status.set_full(Some(error.clone()));
            }
            Err(error) => self.fail(error),
        }
        for waiter in group.waiters {
            // The receiver is gone if the caller dropped its future.
            match waiter {
                Waiter::Command(reply) => drop(reply.send(committed.clone())),
                // After a failed barrier a conflict is not reported either: the events that caused it are lost.
                Waiter::Append(reply, appended) => {
                    drop(reply.send(committed.clone().map_err(BusError::from).and(appended)));
                }
            }
        }
    }

    /// Publishes the head of the log to views, subscriptions and reactors. Logs an error if the head cannot be read.
    fn publish(&self) {
        match self.state.log().head() {
            Ok(head) => {
                self.heads.send_if_modified(|published| std::mem::replace(published, head) != head);
            }
            Err(error) => tracing::error!(%error, "the head of the log cannot be read"),
        }
    }

    /// Lets the log do its deferred work; a failure counts as a failed barrier.
    fn sync_idle(&mut self) {
        self.has_deferred_work = false;
        if let Err(error) = self.state.log().sync() {
            self.fail(&error);
        }
    }

    /// Logs and stores the error of a failed barrier, after which the bus drops all jobs.
    fn fail(&self, error: &LogError) {
        tracing::error!(%error, "the log accepts no more events");
        self.status.fail(error.clone());
    }
}
