//! The loop of the bus thread: runs commands, commits their events in groups, publishes the head of the log, and
//! replies to the callers.
//!
//! A *barrier* is one sync of the log that makes all events staged before it durable. Several commands share one
//! barrier (group commit), since a sync takes much longer than a command.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use event_core::Position;

use super::{
    BusError, State,
    panic_message::panic_message,
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

/// Time between two attempts to write to a full disk, if no command arrives.
const FULL_DISK_DELAY: Duration = Duration::from_secs(1);

/// Maximum number of callers that wait for the same disk sync.
const MAX_WAITERS: usize = 64;

/// A caller of the bus that receives its reply after the next disk sync.
enum Waiter {
    /// A command that has run; receives the result of the barrier.
    Command(oneshot::Sender<Result<(), LogError>>),
    /// A batch with the result of staging it. Receives that result, or the error of the barrier.
    Append(oneshot::Sender<Result<Appended, BusError>>, Result<Appended, BusError>),
}

/// The loop of the bus thread: owns the state and its log, and runs the jobs of the queue.
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
    postponed_append: Option<Append>,
    /// Whether [`Job::Close`] was received.
    is_closing: bool,
    /// Whether the log may have deferred work, such as updating its index: events were synced since the last call of
    /// [`Worker::sync_idle`].
    has_deferred_work: bool,
    /// Whether the last disk sync failed because the disk was full.
    is_full: bool,
    /// Closures of notifications that run once the disk has room.
    closures_for_room: Vec<StateClosure<S>>,
}

/// The commands and batches whose events the next disk sync makes durable (group commit).
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
    /// Returns whether a batch fits into the next disk sync together with the batches of the group: within
    /// [`MAX_BATCH_EVENTS`] and [`MAX_BATCH_BYTES`].
    fn has_room_for(&self, append: &Append) -> bool {
        self.events + append.batch.len() <= MAX_BATCH_EVENTS && self.bytes + frame_bytes(append) <= MAX_BATCH_BYTES
    }

    /// Records the current time as the time of the group's first event, unless it is recorded already.
    fn mark_staged(&mut self) {
        self.staged_at.get_or_insert_with(Instant::now);
    }

    /// Returns whether the group's first event was staged at least [`MAX_BARRIER_DELAY`] ago, so that the group must be
    /// synced to disk now.
    fn is_overdue(&self) -> bool {
        self.staged_at.is_some_and(|staged_at| MAX_BARRIER_DELAY <= staged_at.elapsed())
    }
}

/// Returns the encoded size of a batch of events in the journal, in bytes.
fn frame_bytes(append: &Append) -> usize {
    append.batch.iter().map(frame::encoded_size).sum()
}

impl<S: State> Worker<S> {
    /// Creates the worker loop for a state. It receives jobs from `jobs`, publishes the position of the last durable
    /// event to `heads`, and stores the error of a failed disk sync in `status`.
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
            postponed_append: None,
            is_closing: false,
            has_deferred_work: false,
            is_full: false,
            closures_for_room: Vec::new(),
        }
    }

    /// Runs jobs until the bus is closed or its last handle is dropped. Returns the state after the last disk sync.
    /// Dropping the sender of the head at the end lets subscriptions and views finish.
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

    /// Waits for the next job of the bus thread; `None` if the bus is closed and the queue is empty. While it waits, it
    /// commits events whose disk sync is overdue, and lets an idle log do its deferred work.
    fn receive(&mut self) -> Option<Job<S>> {
        if let Some(append) = self.postponed_append.take() {
            return Some(Job::Append(append));
        }
        if self.is_closing {
            return self.jobs.try_recv().ok();
        }
        loop {
            let job = match self.group.staged_at {
                Some(staged_at) => self.jobs.recv_timeout(MAX_BARRIER_DELAY.saturating_sub(staged_at.elapsed())),
                None if self.is_full => self.jobs.recv_timeout(FULL_DISK_DELAY),
                None if self.has_deferred_work => self.jobs.recv_timeout(IDLE_DELAY),
                None => self.jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match job {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.group.staged_at.is_some() => self.commit(),
                Err(RecvTimeoutError::Timeout) if self.is_full => drop(self.retry()),
                Err(RecvTimeoutError::Timeout) => self.sync_idle(),
            }
        }
    }

    /// Runs the jobs in the queue while a caller waits for the disk sync, until the queue is empty or the commit group
    /// is full. A batch that does not fit is postponed to the next group.
    fn execute_queued(&mut self) {
        while !self.group.waiters.is_empty() && self.group.waiters.len() < MAX_WAITERS {
            match self.jobs.try_recv() {
                Ok(Job::Append(append)) if !self.group.has_room_for(&append) => {
                    self.postponed_append = Some(append);
                    return;
                }
                Ok(job) => self.execute(job),
                Err(_) => return,
            }
        }
    }

    /// Runs a job and adds its caller to the commit group, to be answered after the disk sync. If an earlier sync has
    /// failed, the job is dropped instead, and its caller receives that error from [`BusStatus`].
    fn execute(&mut self, job: Job<S>) {
        match job {
            Job::Close => self.is_closing = true,
            _ if self.status.has_failed() => {}
            job if self.is_full => self.execute_while_full(job),
            job => self.execute_now(job),
        }
    }

    /// Handles a job while the disk is full. A command that records nothing runs, and a notification is queued until
    /// there is room. Any other job runs if writing succeeds again; otherwise it is dropped, and its caller receives
    /// the error.
    fn execute_while_full(&mut self, job: Job<S>) {
        match job {
            Job::Command(Command { closure, durability: Durability::ReadOnly }) => self.run_closure(closure),
            Job::Command(Command { closure, durability: Durability::Eventual }) => self.closures_for_room.push(closure),
            job => {
                if self.retry() {
                    self.execute_now(job);
                }
            }
        }
    }

    /// Runs a job on the bus thread: a command, an append, or the request to close.
    fn execute_now(&mut self, job: Job<S>) {
        match job {
            Job::Close => self.is_closing = true,
            Job::Command(Command { closure, durability }) => {
                if self.state.refresh() {
                    self.group.mark_staged();
                }
                self.run_closure(closure);
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
                let append_result = self.state.append(append.expected, &append.batch);
                self.group.waiters.push(Waiter::Append(append.reply, append_result));
                self.group.mark_staged();
            }
        }
    }

    /// Runs a closure with the state. After a panic, restores the state; if that fails, the bus accepts no more commands.
    fn run_closure(&mut self, closure: StateClosure<S>) {
        let Err(panic) = catch_unwind(AssertUnwindSafe(|| closure(&mut self.state))) else { return };
        let cause = panic_message(&*panic);
        tracing::error!(cause, "a command panicked; the state is folded from the log again");
        self.group.mark_staged();
        if let Err(error) = self.state.recover(&cause) {
            let path = "the state of the bus".into();
            self.fail(&LogError::Stopped { path, cause: error.to_string().into() });
        }
    }

    /// Tries again to write the staged events after the disk was full. If that succeeds, runs the notifications that
    /// were queued meanwhile. Returns whether the disk has room.
    fn retry(&mut self) -> bool {
        self.commit();
        if self.is_full || self.status.has_failed() {
            return false;
        }
        for closure in std::mem::take(&mut self.closures_for_room) {
            self.run_closure(closure);
            self.group.mark_staged();
        }
        true
    }

    /// Makes the events of the commit group durable with one disk sync, publishes the new head of the log, then replies
    /// to the callers. If the sync fails, the head is not published and every caller receives the error.
    fn commit(&mut self) {
        self.has_deferred_work = true;
        let group = std::mem::take(&mut self.group);
        let commit_result = self.state.commit();
        match &commit_result {
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
                Waiter::Command(reply) => drop(reply.send(commit_result.clone())),
                // After a failed barrier a conflict is not reported either: the events that caused it are lost.
                Waiter::Append(reply, appended) => {
                    drop(reply.send(commit_result.clone().map_err(BusError::from).and(appended)));
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

    /// Lets the log do its deferred work while no command arrives. A failure is handled as a failed disk sync.
    fn sync_idle(&mut self) {
        self.has_deferred_work = false;
        if let Err(error) = self.state.log().sync() {
            self.fail(&error);
        }
    }

    /// Logs and stores the error of a failed disk sync, after which the bus drops all jobs.
    fn fail(&self, error: &LogError) {
        tracing::error!(%error, "the log accepts no more events");
        self.status.fail(error.clone());
    }
}
