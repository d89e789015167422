//! The bus: one thread owns the log and a state; commands, subscriptions, views and reactors use them through it.

pub(crate) mod block_on;
mod error;
mod queue;
mod race;
mod reactor;
mod state;
mod subscription;
mod view;
mod worker;

use std::sync::{Arc, PoisonError};

use event_core::{NewEvent, Position, Projection};

pub use error::BusError;
pub use queue::DurabilityHandle;
pub use reactor::{Reactor, RetryAfter};
pub use state::{Appender, State};
pub use subscription::{Delivery, Subscription};
pub use view::View;
pub use worker::REFRESH_INTERVAL;

use crate::{
    Appended, EventLog, Expected, LogError,
    sync::{Mutex, MutexGuard, oneshot, task::JoinHandle, thread, watch},
};
use queue::{Command, Durability, Job, Producer, Work};
use worker::Worker;

/// Handle of a bus, over which a program runs commands, queries, subscriptions, views and reactors. Cheap to clone.
///
/// Dropping the last handle closes the bus in the background; [`Bus::close`] also waits until everything is written.
#[derive(Debug)]
pub struct Bus<S: State = Appender> {
    /// State shared by all handles.
    shared: Arc<Shared<S>>,
}

impl<S: State> Clone for Bus<S> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

/// State shared by all handles of a bus: its queue, its log, and the tasks that follow it.
struct Shared<S: State> {
    /// The log, for reading.
    log: Arc<dyn EventLog>,
    /// Queue to the bus thread.
    producer: Producer<S>,
    /// The last durable position.
    heads: watch::Receiver<Position>,
    /// Closed when the bus thread has ended, normally or by a panic.
    alive: watch::Receiver<()>,
    /// Set to true when the bus closes; reactors then end at the head.
    closing: watch::Sender<bool>,
    /// Receiver of `closing`, cloned for each reactor.
    is_closing: watch::Receiver<bool>,
    /// The bus thread; `None` after [`Bus::close`].
    running: Mutex<Option<Running>>,
    /// Tasks of the views.
    views: Mutex<Vec<Follower>>,
    /// Tasks of the reactors.
    reactors: Mutex<Vec<Follower>>,
}

/// Task of a view or a reactor.
type Follower = JoinHandle<Result<(), BusError>>;

/// The thread of an open bus, and the channels by which [`Bus::close`] takes it through its last steps.
struct Running {
    /// The bus thread.
    thread: thread::JoinHandle<()>,
    /// Received when every accepted job has run and its events are published.
    drained: oneshot::Receiver<()>,
    /// Sent when no view reads the log any more, so that it may be closed.
    unfollowed: oneshot::Sender<()>,
    /// Received when the state is closed.
    ended: oneshot::Receiver<Result<(), BusError>>,
}

impl<S: State> std::fmt::Debug for Shared<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("head", &*self.heads.borrow()).finish_non_exhaustive()
    }
}

impl<S: State> Bus<S> {
    /// Starts the bus thread, which owns `state` until the bus is closed.
    ///
    /// # Errors
    /// [`LogError`] if the head of the log cannot be read, or no thread can be started.
    pub fn start(state: S) -> Result<Self, LogError> {
        let log = Arc::clone(state.log());
        let (publish, heads) = watch::channel(log.head()?);
        let (living, alive) = watch::channel(());
        let (closing, is_closing) = watch::channel(false);
        let (producer, jobs) = Producer::new();
        let (send_drained, drained) = oneshot::channel();
        let (unfollowed, wait_unfollowed) = oneshot::channel();
        let (send_ended, ended) = oneshot::channel();
        let worker = Worker::new(state, jobs, publish, Arc::clone(&producer.status));
        let thread = thread::Builder::new()
            .name("bus".to_owned())
            .spawn(move || {
                let _living = living;
                let state = worker.run();
                // The receivers are gone if the last handle was dropped.
                let _ = send_drained.send(());
                drop(block_on::block_on(wait_unfollowed));
                let closed = state.close();
                if let Err(error) = &closed {
                    tracing::error!(%error, "the log was not closed cleanly");
                }
                drop(send_ended.send(closed));
            })
            .map_err(LogError::io("start a thread for", "the log"))?;
        let running = Mutex::new(Some(Running { thread, drained, unfollowed, ended }));
        let (views, reactors) = (Mutex::default(), Mutex::default());
        let shared = Shared { log, producer, heads, alive, closing, is_closing, running, views, reactors };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Runs a command on the bus thread. Returns its result when it has run, and a handle that resolves when the events
    /// it recorded are durable. Commands run in the order in which they were sent, and must not block.
    ///
    /// Once sent, a command runs even if the future is dropped.
    ///
    /// # Errors
    /// [`BusError::Closed`], [`BusError::WriterLost`], and [`BusError::Log`] after a failed barrier.
    pub async fn command<T: Send + 'static>(
        &self,
        command: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> Result<(T, DurabilityHandle), BusError> {
        self.check_open()?;
        self.shared.command(command).await
    }

    /// Runs a closure that only reads the state on the bus thread. The state may include events that are not durable
    /// yet.
    ///
    /// # Errors
    /// As [`Bus::command`].
    pub async fn query<T: Send + 'static>(&self, query: impl FnOnce(&S) -> T + Send + 'static) -> Result<T, BusError> {
        self.check_open()?;
        let (reply, answer) = oneshot::channel();
        let work: Work<S> = Box::new(move |state| drop(reply.send(query(state))));
        self.shared.producer.send(Job::Command(Command { work, durability: Durability::ReadOnly }))?;
        answer.await.map_err(|_| self.shared.producer.status.refusal())
    }

    /// Runs a command on the bus thread without waiting for it. Its events are durable after 2 ms, or with the next
    /// barrier if that is earlier. Errors are logged.
    pub fn notify<E: std::fmt::Display>(&self, command: impl FnOnce(&mut S) -> Result<(), E> + Send + 'static) {
        let work: Work<S> = Box::new(move |state| {
            if let Err(error) = command(state) {
                tracing::error!(%error, "a command failed");
            }
        });
        let job = Job::Command(Command { work, durability: Durability::Eventual });
        if let Err(error) = self.check_open().and_then(|()| self.shared.producer.send(job)) {
            tracing::error!(%error, "a command came after the bus was closed");
        }
    }

    /// Appends a batch, all or nothing, and returns once it is durable.
    ///
    /// A future that is dropped may still be recorded; appending the same ids again is harmless.
    ///
    /// # Errors
    /// As [`State::append`] and [`Bus::command`].
    pub async fn append(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        self.check_open()?;
        self.shared.producer.append(expected, batch).await
    }

    /// [`Bus::append`] for threads without a runtime. Blocks the thread; must not be called from a task.
    ///
    /// # Errors
    /// As [`Bus::append`].
    pub fn append_blocking(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        block_on::block_on(self.append(expected, batch))
    }

    /// Returns the log, for reading.
    pub fn log(&self) -> &Arc<dyn EventLog> {
        &self.shared.log
    }

    /// Returns the last position that is durable and visible.
    pub fn head(&self) -> Position {
        *self.shared.heads.borrow()
    }

    /// Waits until the head is after `position`, and returns it.
    ///
    /// # Errors
    /// [`BusError::Closed`] if the bus ends before that.
    pub async fn head_after(&self, position: Position) -> Result<Position, BusError> {
        let mut heads = self.shared.heads.clone();
        let head = heads.wait_for(|head| position < *head).await.map_err(|_| BusError::Closed)?;
        Ok(*head)
    }

    /// Waits until the bus thread has ended: after [`Bus::close`], or after a panic.
    pub async fn ended(&self) {
        let mut alive = self.shared.alive.clone();
        while alive.changed().await.is_ok() {}
    }

    /// Subscribes to every event after a position.
    pub fn subscribe(&self, after: Position) -> Subscription {
        Subscription::new(Arc::clone(&self.shared.log), self.shared.heads.clone(), after)
    }

    /// Resumes a projection from its checkpoint, catches up with the log, and keeps following it in a task.
    ///
    /// # Errors
    /// [`BusError::Log`] and [`BusError::Projection`] if it cannot catch up.
    pub async fn project<P: Projection + Sync>(&self) -> Result<View<P>, BusError> {
        let (view, following) = view::follow(Arc::clone(&self.shared.log), self.shared.heads.clone()).await?;
        keep(&self.shared.views, following);
        Ok(view)
    }

    /// Starts a reactor in a task, after the last event that it handled. At its first start it begins at the head, so
    /// earlier events are not handled. Requires a tokio runtime with time. Later errors are traced, and returned by
    /// [`Bus::close`].
    ///
    /// # Errors
    /// [`BusError::Log`] if its position cannot be read or saved, [`BusError::Closed`].
    pub async fn run(&self, reactor: Box<dyn Reactor>) -> Result<(), BusError> {
        self.check_open()?;
        let (heads, closing) = (self.shared.heads.clone(), self.shared.is_closing.clone());
        let log = Arc::clone(&self.shared.log);
        let following = reactor::follow(reactor, log, heads, closing, self.shared.producer.clone()).await?;
        keep(&self.shared.reactors, following);
        Ok(())
    }

    /// Closes the bus in this order: refuses new commands, makes the accepted ones durable, lets reactors reach the
    /// head, commits what they recorded, lets subscriptions end and views catch up and save, closes the state and its
    /// log, and ends the thread. A second call returns at once.
    ///
    /// # Errors
    /// The first failure of a reactor, a view or the log.
    pub async fn close(&self) -> Result<(), BusError> {
        let running = self.shared.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Running { thread, drained, unfollowed, ended }) = running else { return Ok(()) };
        self.shared.producer.status.close();
        let mut outcome = self.shared.flush().await;
        self.shared.closing.send_modify(|closing| *closing = true);
        outcome = outcome.and(join(&self.shared.reactors).await);
        // It fails only if the thread is gone already.
        drop(self.shared.producer.send(Job::Close));
        outcome = outcome.and(drained.await.map_err(|_| BusError::WriterLost));
        outcome = outcome.and(join(&self.shared.views).await);
        let _ = unfollowed.send(());
        let closed = ended.await.unwrap_or(Err(BusError::WriterLost));
        // The thread has nothing left to do, so this does not block.
        let joined = thread.join().map_err(|_| BusError::WriterLost);
        outcome.and(closed).and(joined)
    }

    /// [`Bus::close`] for threads without a runtime. The runtime of views and reactors must still be running.
    ///
    /// # Errors
    /// As [`Bus::close`].
    pub fn close_blocking(&self) -> Result<(), BusError> {
        block_on::block_on(self.close())
    }

    /// Returns an error if the bus is closed.
    fn check_open(&self) -> Result<(), BusError> {
        let status = &self.shared.producer.status;
        if status.is_closed() { Err(status.refusal()) } else { Ok(()) }
    }
}

impl<S: State> Shared<S> {
    /// Runs a command as [`Bus::command`] does, but also while the bus closes.
    async fn command<T: Send + 'static>(
        &self,
        command: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> Result<(T, DurabilityHandle), BusError> {
        let (reply, answer) = oneshot::channel();
        let (send_barrier, barrier) = oneshot::channel();
        let work: Work<S> = Box::new(move |state| drop(reply.send(command(state))));
        self.producer.send(Job::Command(Command { work, durability: Durability::Reported(send_barrier) }))?;
        let status = Arc::clone(&self.producer.status);
        match answer.await {
            Ok(result) => Ok((result, DurabilityHandle { barrier, status })),
            Err(_) => Err(status.refusal()),
        }
    }

    /// Waits until all jobs accepted so far are durable.
    async fn flush(&self) -> Result<(), BusError> {
        let flushed = match self.command(|_| ()).await {
            Ok(((), durable)) => durable.wait().await,
            Err(error) => Err(error),
        };
        // Only `close` ends the thread, so an error here means that the thread was lost before.
        flushed.map_err(|error| if matches!(error, BusError::Closed) { BusError::WriterLost } else { error })
    }
}

impl<S: State> Drop for Shared<S> {
    fn drop(&mut self) {
        self.closing.send_modify(|closing| *closing = true);
        if self.producer.status.close() {
            // It fails only if the thread is gone already.
            drop(self.producer.send(Job::Close));
        }
    }
}

/// Locks the list of tasks, ignoring poisoning.
fn lock(followers: &Mutex<Vec<Follower>>) -> MutexGuard<'_, Vec<Follower>> {
    followers.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a task to the list, and removes finished ones.
fn keep(followers: &Mutex<Vec<Follower>>, following: Follower) {
    let mut followers = lock(followers);
    followers.retain(|follower| !follower.is_finished());
    followers.push(following);
}

/// Waits for all tasks and returns the first failure.
async fn join(followers: &Mutex<Vec<Follower>>) -> Result<(), BusError> {
    let followers = std::mem::take(&mut *lock(followers));
    let mut outcome = Ok(());
    for follower in followers {
        outcome = outcome.and(follower.await.unwrap_or(Err(BusError::FollowerLost)));
    }
    outcome
}
