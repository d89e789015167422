//! [`Bus`]: one thread that owns an event log and a state. Commands run on that thread. Subscriptions, views and
//! reactors receive the events that the thread has made durable.
//!
//! Terms of this module: a *command* is a closure that runs on the bus thread, a *barrier* is one sync of the disk that
//! makes the events of several commands durable, the *head* is the position of the last durable event, a *view* is a
//! projection that a task keeps up to date, and a *reactor* is a task that causes effects outside the log.

pub(crate) mod block_on;
mod error;
mod panic_message;
mod queue;
mod race;
mod reactor;
mod state;
mod subscription;
mod view;
mod worker;

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, PoisonError},
};

use event_core::{NewEvent, Position, Projection};

pub use error::BusError;
pub use queue::DurabilityHandle;
pub use reactor::{Reactor, RetryAfter};
pub use state::{Appender, State};
pub use subscription::{Delivery, Subscription};
pub use view::View;

use crate::{
    Appended, EventLog, Expected, LogError,
    sync::{Mutex, MutexGuard, oneshot, task::JoinHandle, thread, watch},
};
use panic_message::panic_message;
use queue::{Command, Durability, Job, JobSender, StateClosure};
use worker::Worker;

/// A handle of a bus: one thread that owns an event log and a [`State`], and the tasks of its views and reactors.
/// Clones are handles of the same bus.
///
/// Dropping the last handle closes the bus in the background. [`Bus::close`] also waits until everything is written.
#[derive(Debug)]
pub struct Bus<S: State = Appender> {
    /// State that all handles share.
    shared: Arc<Shared<S>>,
}

impl<S: State> Clone for Bus<S> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

/// State that all handles of one bus share: its log, its job queue, its thread and the tasks that follow it.
struct Shared<S: State> {
    /// The log, for reading; only the bus thread writes to it.
    log: Arc<dyn EventLog>,
    /// Sends jobs (commands, and batches of events to append) to the bus thread.
    jobs: JobSender<S>,
    /// Position of the last durable event. The channel is closed when the bus thread has ended.
    heads: watch::Receiver<Position>,
    /// A channel whose value never changes. It is closed when the bus thread has ended, regularly or by a panic.
    alive: watch::Receiver<()>,
    /// Set to true when the bus closes. A reactor then ends as soon as it has reached the head.
    closing: watch::Sender<bool>,
    /// Receiver of `closing`, cloned for each reactor.
    is_closing: watch::Receiver<bool>,
    /// The bus thread; `None` once [`Bus::close`] was called.
    thread: Mutex<Option<BusThread>>,
    /// Tasks of the views, for [`Bus::close`] to wait for.
    views: Mutex<Vec<FollowerTask>>,
    /// Tasks of the reactors, for [`Bus::close`] to wait for.
    reactors: Mutex<Vec<FollowerTask>>,
}

/// Task of a view or reactor. Its result is the error that stopped it.
type FollowerTask = JoinHandle<Result<(), BusError>>;

/// The thread of an open bus, and the channels that order the steps of [`Bus::close`].
struct BusThread {
    /// Handle to join the thread.
    handle: thread::JoinHandle<()>,
    /// Resolves when every accepted job has run and its events are published.
    drained: oneshot::Receiver<()>,
    /// Sent when all views have ended, so that the log may be closed.
    views_ended: oneshot::Sender<()>,
    /// Resolves when the state is closed, with the result of [`State::close`].
    closed: oneshot::Receiver<Result<(), BusError>>,
}

impl<S: State> std::fmt::Debug for Shared<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("head", &*self.heads.borrow()).finish_non_exhaustive()
    }
}

impl<S: State> Bus<S> {
    /// Starts the bus thread, which owns `state` and its event log until the bus is closed. Views and reactors are
    /// started later, by [`Bus::project`] and [`Bus::run`].
    ///
    /// # Errors
    /// [`LogError`] if the head of the log cannot be read, or the thread cannot be started.
    pub fn start(state: S) -> Result<Self, LogError> {
        let log = Arc::clone(state.log());
        let (publish, heads) = watch::channel(log.head()?);
        let (alive_sender, alive) = watch::channel(());
        let (closing, is_closing) = watch::channel(false);
        let (jobs, job_receiver) = JobSender::new();
        let (send_drained, drained) = oneshot::channel();
        let (views_ended, wait_for_views) = oneshot::channel();
        let (send_closed, closed) = oneshot::channel();
        let worker = Worker::new(state, job_receiver, publish, Arc::clone(&jobs.status));
        let handle = thread::Builder::new()
            .name("bus".to_owned())
            .spawn(move || {
                let _alive_sender = alive_sender;
                let state = worker.run();
                // The receivers are gone if the last handle was dropped.
                let _ = send_drained.send(());
                drop(block_on::block_on(wait_for_views));
                let closed = state.close();
                if let Err(error) = &closed {
                    tracing::error!(%error, "the log was not closed cleanly");
                }
                drop(send_closed.send(closed));
            })
            .map_err(LogError::io("start a thread for", "the log"))?;
        let thread = Mutex::new(Some(BusThread { handle, drained, views_ended, closed }));
        let (views, reactors) = (Mutex::default(), Mutex::default());
        let shared = Shared { log, jobs, heads, alive, closing, is_closing, thread, views, reactors };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Runs a closure with the state on the bus thread. Returns its result as soon as it has run, and a handle that
    /// resolves once its events are durable. Commands run in the order in which they were sent, and must not block.
    ///
    /// Once sent, a command runs even if the future is dropped.
    ///
    /// # Errors
    /// [`BusError::Closed`] after [`Bus::close`], [`BusError::WriterLost`] if the bus thread panicked, and
    /// [`BusError::Log`] after a failed barrier.
    pub async fn command<T: Send + 'static>(
        &self,
        command: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> Result<(T, DurabilityHandle), BusError> {
        self.check_open()?;
        self.shared.command(command).await
    }

    /// Runs a closure that only reads the state on the bus thread, and returns its result. The state includes events
    /// that are recorded but not durable yet.
    ///
    /// # Errors
    /// The errors of [`Bus::command`].
    pub async fn query<T: Send + 'static>(&self, query: impl FnOnce(&S) -> T + Send + 'static) -> Result<T, BusError> {
        self.check_open()?;
        let (reply, result) = oneshot::channel();
        let closure: StateClosure<S> = Box::new(move |state| {
            if !reply.is_closed() {
                caught(reply, || query(state));
            }
        });
        self.shared.jobs.send_bounded(Job::Command(Command { closure, durability: Durability::ReadOnly }))?;
        result.await.map_err(|_| self.shared.jobs.status.refusal())?
    }

    /// Runs a command on the bus thread without waiting for it. Its events are durable after at most 2 ms, or earlier
    /// if another caller's commit includes them. Errors are logged instead of returned, also if the bus is closed.
    pub fn notify<E: std::fmt::Display>(&self, command: impl FnOnce(&mut S) -> Result<(), E> + Send + 'static) {
        let closure: StateClosure<S> = Box::new(move |state| {
            if let Err(error) = command(state) {
                tracing::error!(%error, "a command failed");
            }
        });
        let job = Job::Command(Command { closure, durability: Durability::Eventual });
        if let Err(error) = self.check_open().and_then(|()| self.shared.jobs.send(job)) {
            tracing::error!(%error, "a command came after the bus was closed");
        }
    }

    /// Appends a batch of events to the log, all or none, and returns their positions once they are durable. `expected`
    /// is the head of the log that the batch requires.
    ///
    /// If the future is dropped, the batch may still be recorded. Appending events with the same ids again does not
    /// record them twice.
    ///
    /// # Errors
    /// The errors of [`State::append`] and of [`Bus::command`].
    pub async fn append(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        self.check_open()?;
        self.shared.jobs.append_bounded(expected, batch).await
    }

    /// Does the same as [`Bus::append`] for threads without an async runtime: blocks the thread until the batch is
    /// durable. Must not be called from an async task.
    ///
    /// # Errors
    /// The errors of [`Bus::append`].
    pub fn append_blocking(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        block_on::block_on(self.append(expected, batch))
    }

    /// Returns the log, for reading.
    pub fn log(&self) -> &Arc<dyn EventLog> {
        &self.shared.log
    }

    /// Returns the error of the latest write if the disk was full; `None` if the bus accepts events. While the disk is
    /// full, the bus refuses commands, queues notifications, and tries to write again at least once a second.
    pub fn out_of_room(&self) -> Option<LogError> {
        self.shared.jobs.status.full()
    }

    /// Returns the position of the last durable event; [`Position::ORIGIN`] if the log is empty.
    pub fn head(&self) -> Position {
        *self.shared.heads.borrow()
    }

    /// Waits until the head is after `position`, and returns the head.
    ///
    /// # Errors
    /// [`BusError::Closed`] if the bus thread ends before that.
    pub async fn head_after(&self, position: Position) -> Result<Position, BusError> {
        let mut heads = self.shared.heads.clone();
        let head = heads.wait_for(|head| position < *head).await.map_err(|_| BusError::Closed)?;
        Ok(*head)
    }

    /// Waits until the bus thread has ended, after [`Bus::close`] or a panic.
    pub async fn ended(&self) {
        let mut alive = self.shared.alive.clone();
        while alive.changed().await.is_ok() {}
    }

    /// Subscribes to every event after `after`, recorded and future.
    pub fn subscribe(&self, after: Position) -> Subscription {
        Subscription::new(Arc::clone(&self.shared.log), self.shared.heads.clone(), after)
    }

    /// Starts a view of projection `P`: loads its checkpoint, folds it up to the head of the log, and starts a task
    /// that folds new events until the bus is closed. Needs a tokio runtime. The task saves a checkpoint every 10,000
    /// events and when it ends.
    ///
    /// # Errors
    /// [`BusError::Log`] if the log cannot be read, [`BusError::Projection`] if an event cannot be decoded,
    /// [`BusError::Checkpoint`] if the state is too large to save.
    pub async fn project<P: Projection + Sync>(&self) -> Result<View<P>, BusError> {
        let (view, task) = view::start(Arc::clone(&self.shared.log), self.shared.heads.clone()).await?;
        add_follower(&self.shared.views, task);
        Ok(view)
    }

    /// Starts a reactor in a task, after the last event it has handled. On its first start it begins at the head:
    /// earlier events are not handled. Needs a tokio runtime with time. A later failure is logged, and returned by
    /// [`Bus::close`].
    ///
    /// # Errors
    /// [`BusError::Log`] if its position cannot be read or saved, or [`Reactor::resume`] fails; [`BusError::Closed`]
    /// after [`Bus::close`].
    pub async fn run(&self, reactor: Box<dyn Reactor>) -> Result<(), BusError> {
        self.check_open()?;
        let (heads, closing) = (self.shared.heads.clone(), self.shared.is_closing.clone());
        let log = Arc::clone(&self.shared.log);
        let task = reactor::start(reactor, log, heads, closing, self.shared.jobs.clone()).await?;
        add_follower(&self.shared.reactors, task);
        Ok(())
    }

    /// Closes the bus in this order: refuses new commands, makes the accepted ones durable, lets reactors reach the
    /// head, commits the events they recorded, lets subscriptions end and views catch up and save, closes the state and
    /// its log, and ends the thread. A second call returns at once.
    ///
    /// # Errors
    /// The first failure of a reactor, a view or the log. The remaining steps are done in any case.
    pub async fn close(&self) -> Result<(), BusError> {
        let thread = self.shared.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(BusThread { handle, drained, views_ended, closed }) = thread else { return Ok(()) };
        self.shared.jobs.status.close();
        let mut outcome = self.shared.flush().await;
        self.shared.closing.send_modify(|closing| *closing = true);
        outcome = outcome.and(join_all(&self.shared.reactors).await);
        // Sending fails only if the thread has ended already.
        drop(self.shared.jobs.send(Job::Close));
        outcome = outcome.and(drained.await.map_err(|_| BusError::WriterLost));
        outcome = outcome.and(join_all(&self.shared.views).await);
        let _ = views_ended.send(());
        outcome = outcome.and(closed.await.unwrap_or(Err(BusError::WriterLost)));
        // The thread has nothing left to do, so this does not block.
        outcome.and(handle.join().map_err(|_| BusError::WriterLost))
    }

    /// Does the same as [`Bus::close`] for threads without an async runtime. The runtime of the views and reactors must
    /// still be running.
    ///
    /// # Errors
    /// The errors of [`Bus::close`].
    pub fn close_blocking(&self) -> Result<(), BusError> {
        block_on::block_on(self.close())
    }

    /// Returns an error if the bus is closed: [`BusError::Closed`], or the error of the write that failed before.
    /// Returns `Ok` while the bus is open.
    fn check_open(&self) -> Result<(), BusError> {
        let status = &self.shared.jobs.status;
        if status.is_closed() { Err(status.refusal()) } else { Ok(()) }
    }
}

impl<S: State> Shared<S> {
    /// Does the same as [`Bus::command`], but is also accepted while the bus closes.
    async fn command<T: Send + 'static>(
        &self,
        command: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> Result<(T, DurabilityHandle), BusError> {
        let (reply, result) = oneshot::channel();
        let (send_barrier, barrier) = oneshot::channel();
        let closure: StateClosure<S> = Box::new(move |state| {
            if !reply.is_closed() {
                caught(reply, || command(state));
            }
        });
        self.jobs.send_bounded(Job::Command(Command { closure, durability: Durability::Reported(send_barrier) }))?;
        let status = Arc::clone(&self.jobs.status);
        let result = result.await.map_err(|_| status.refusal())??;
        Ok((result, DurabilityHandle { barrier, status }))
    }

    /// Waits until the events of every job that the bus accepted so far are durable.
    ///
    /// # Errors
    /// [`BusError::Log`] if a write failed, [`BusError::WriterLost`] if the bus thread panicked.
    async fn flush(&self) -> Result<(), BusError> {
        let flush_result = match self.command(|_| ()).await {
            Ok(((), durability)) => durability.wait().await,
            Err(error) => Err(error),
        };
        // Only `close` ends the thread, so a refusal here means that the thread panicked before.
        flush_result.map_err(|error| if matches!(error, BusError::Closed) { BusError::WriterLost } else { error })
    }
}

/// Runs a closure and sends its result. After a panic, sends [`BusError::CommandPanicked`] and continues the panic, so that
/// the bus thread restores its state.
fn caught<T>(reply: oneshot::Sender<Result<T, BusError>>, run: impl FnOnce() -> T) {
    match catch_unwind(AssertUnwindSafe(run)) {
        // The receiver is gone if the caller dropped its future.
        Ok(result) => drop(reply.send(Ok(result))),
        Err(panic) => {
            let message = panic_message(&*panic);
            drop(reply.send(Err(BusError::CommandPanicked(message.into()))));
            resume_unwind(panic);
        }
    }
}

/// Closes the bus without waiting, unless [`Bus::close`] was called.
impl<S: State> Drop for Shared<S> {
    fn drop(&mut self) {
        self.closing.send_modify(|closing| *closing = true);
        if self.jobs.status.close() {
            // Sending fails only if the thread has ended already.
            drop(self.jobs.send(Job::Close));
        }
    }
}

/// Locks a list of view or reactor tasks. A panic of an earlier lock holder is ignored, since the list is valid after
/// each operation.
fn lock_tasks(tasks: &Mutex<Vec<FollowerTask>>) -> MutexGuard<'_, Vec<FollowerTask>> {
    tasks.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds the task of a view or reactor to a list, and removes the tasks that have ended from it.
fn add_follower(tasks: &Mutex<Vec<FollowerTask>>, task: FollowerTask) {
    let mut tasks = lock_tasks(tasks);
    tasks.retain(|task| !task.is_finished());
    tasks.push(task);
}

/// Empties a list of view or reactor tasks, waits until each task has ended, and returns the first failure;
/// [`BusError::FollowerLost`] for a task that panicked or was aborted.
async fn join_all(tasks: &Mutex<Vec<FollowerTask>>) -> Result<(), BusError> {
    let tasks = std::mem::take(&mut *lock_tasks(tasks));
    let mut outcome = Ok(());
    for task in tasks {
        outcome = outcome.and(task.await.unwrap_or(Err(BusError::FollowerLost)));
    }
    outcome
}
