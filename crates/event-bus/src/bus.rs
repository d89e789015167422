//! The bus: many producers, one writer, and everything that follows the log.

pub(crate) mod block_on;
mod error;
mod producer;
mod race;
mod reactor;
mod subscription;
mod view;
mod writer;

use std::sync::{Arc, PoisonError};

use event_core::{NewEvent, Position, Projection};

pub use error::BusError;
pub use reactor::Reactor;
pub use subscription::{Delivery, Subscription};
pub use view::View;

use crate::{
    Appended, Clock, EventLog, Expected, LogError,
    sync::{Mutex, MutexGuard, oneshot, task::JoinHandle, thread, watch},
};
use producer::Producer;
use writer::Writer;

/// The log in use: cheap to clone, one thread writes, anyone may append and follow.
///
/// Dropping the last clone stops the writer behind the scenes; [`Bus::close`] also waits until everything is written.
#[derive(Debug, Clone)]
pub struct Bus {
    shared: Arc<Shared>,
}

struct Shared {
    log: Arc<dyn EventLog>,
    producer: Producer,
    heads: watch::Receiver<Position>,
    running: Mutex<Option<Running>>,
    followers: Mutex<Vec<JoinHandle<Result<(), BusError>>>>,
}

/// What `close` waits for.
struct Running {
    thread: thread::JoinHandle<()>,
    /// Told by the writer once everything accepted is written and published.
    drained: oneshot::Receiver<()>,
    /// Tells the writer that nobody follows any more, so that the log may be closed.
    unfollowed: oneshot::Sender<()>,
    /// Told by the writer at its end.
    ended: oneshot::Receiver<Result<(), LogError>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bus").field("head", &*self.heads.borrow()).finish_non_exhaustive()
    }
}

impl Bus {
    /// Starts the writer thread on a log.
    ///
    /// # Errors
    /// [`LogError`] when the log cannot say where it ends, or no thread can be started.
    pub fn start(log: Arc<dyn EventLog>, clock: impl Clock) -> Result<Self, LogError> {
        let (heads, published) = watch::channel(log.head()?);
        let (producer, requests) = Producer::new();
        let (tell_drained, drained) = oneshot::channel();
        let (unfollowed, wait_unfollowed) = oneshot::channel();
        let (tell_ended, ended) = oneshot::channel();
        let writer = Writer::new(Arc::clone(&log), Box::new(clock), requests, heads);
        let thread = thread::Builder::new()
            .name("log-writer".to_owned())
            .spawn(move || {
                let log = writer.run();
                // The closer may be gone; then nobody is left to tell.
                let _ = tell_drained.send(());
                drop(block_on::block_on(wait_unfollowed));
                drop(tell_ended.send(log.close()));
            })
            .map_err(LogError::io("start a thread for", "the log"))?;
        let running = Running { thread, drained, unfollowed, ended };
        let shared =
            Shared { log, producer, heads: published, running: Mutex::new(Some(running)), followers: Mutex::default() };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Appends a batch, all or nothing, and returns once it is on the disk.
    ///
    /// A future dropped half-way may still be recorded; appending the same ids again is harmless.
    ///
    /// # Errors
    /// As [`EventLog::append`] and [`EventLog::sync`], and [`BusError::Closed`].
    pub async fn append(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        self.shared.producer.append(expected, batch).await
    }

    /// [`Bus::append`] for threads without tasks. Blocks the thread; never call it from a task.
    ///
    /// # Errors
    /// As [`Bus::append`].
    pub fn append_blocking(&self, expected: Expected, batch: Vec<NewEvent>) -> Result<Appended, BusError> {
        block_on::block_on(self.append(expected, batch))
    }

    /// The log, to read from.
    pub fn log(&self) -> &Arc<dyn EventLog> {
        &self.shared.log
    }

    /// The last position that is durable and visible.
    pub fn head(&self) -> Position {
        *self.shared.heads.borrow()
    }

    /// Every event after a position, those recorded and those to come.
    pub fn subscribe(&self, after: Position) -> Subscription {
        Subscription::new(Arc::clone(&self.shared.log), self.shared.heads.clone(), after)
    }

    /// A projection's state, resumed from its checkpoint, caught up with the log, and following it from now on.
    ///
    /// # Errors
    /// [`BusError::Log`] and [`BusError::Projection`] when it cannot catch up.
    pub async fn project<P: Projection + Sync>(&self) -> Result<View<P>, BusError> {
        let (view, following) = view::follow(Arc::clone(&self.shared.log), self.shared.heads.clone()).await?;
        self.keep(following);
        Ok(view)
    }

    /// Starts a reactor behind the last event it has dealt with, or, when it is new, at the log's end: history is
    /// not reacted to. Returns once it follows; a failure later is reported by [`Bus::close`] and traced.
    ///
    /// # Errors
    /// [`BusError::Log`] when its place in the log cannot be read or saved.
    pub async fn run(&self, reactor: Box<dyn Reactor>) -> Result<(), BusError> {
        let heads = self.shared.heads.clone();
        let log = Arc::clone(&self.shared.log);
        let following = reactor::follow(reactor, log, heads, self.shared.producer.clone()).await?;
        self.keep(following);
        Ok(())
    }

    /// Stops accepting, writes and publishes what was accepted, lets views catch up and save, writes the log's head,
    /// and ends the writer thread. A second call returns at once.
    ///
    /// # Errors
    /// The first failure of a view, a reactor or the log.
    pub async fn close(&self) -> Result<(), BusError> {
        let running = self.shared.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Running { thread, drained, unfollowed, ended }) = running else { return Ok(()) };
        self.shared.producer.close();
        let drained = drained.await.map_err(|_| BusError::WriterLost);
        let followers = std::mem::take(&mut *self.followers());
        let mut outcome = drained;
        for follower in followers {
            let ended = follower.await.unwrap_or(Err(BusError::FollowerLost));
            outcome = outcome.and(ended);
        }
        let _ = unfollowed.send(());
        let closed = ended.await.map_err(|_| BusError::WriterLost).and_then(|closed| Ok(closed?));
        // The thread has nothing left to do, so this does not wait.
        let joined = thread.join().map_err(|_| BusError::WriterLost);
        outcome.and(closed).and(joined)
    }

    /// [`Bus::close`] for threads without tasks. The runtime of views and reactors must still be running.
    ///
    /// # Errors
    /// As [`Bus::close`].
    pub fn close_blocking(&self) -> Result<(), BusError> {
        block_on::block_on(self.close())
    }

    fn keep(&self, following: JoinHandle<Result<(), BusError>>) {
        let mut followers = self.followers();
        followers.retain(|follower| !follower.is_finished());
        followers.push(following);
    }

    fn followers(&self) -> MutexGuard<'_, Vec<JoinHandle<Result<(), BusError>>>> {
        self.shared.followers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.producer.close();
    }
}
