//! The desk: the one thread that has the engine. Everyone else asks it, and is told when what was said is on the disk.
//!
//! What is asked between two barriers is covered by one: the cost of the disk is shared by whoever comes at the same time.

use std::{
    io,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use engine::{Engine, EngineError};
use tokio::sync::{oneshot, watch};

/// How long events nobody waits for may stay off the disk.
const LINGER: Duration = Duration::from_millis(2);
/// After how long without any question the log does what it has put off.
const REST: Duration = Duration::from_millis(300);
/// How often the policy file is looked at.
const POLICY_EVERY: Duration = Duration::from_millis(100);
/// The most jobs one barrier covers.
const MOST_AT_ONCE: usize = 64;

/// The thread that has the engine: it gives back whether the log was closed as it should be.
pub type DeskThread = JoinHandle<Result<(), EngineError>>;

type Work = Box<dyn FnOnce(&mut Engine) + Send>;

struct Job {
    work: Work,
    receipt: Option<oneshot::Sender<bool>>,
}

/// The way to the engine: cheap to clone.
#[derive(Clone)]
pub struct Desk {
    jobs: Sender<Job>,
    /// Where the log ends on the disk: whoever follows it looks again when this changes.
    heads: watch::Receiver<u64>,
    /// Closed when the thread has ended.
    alive: watch::Receiver<()>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("head", &*self.heads.borrow()).finish_non_exhaustive()
    }
}

/// The desk is closed, or the log takes no more events. Nothing can be decided any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the log takes no more events, so nothing can be decided; the gateway's own output says why")]
pub struct Closed;

/// Tells when what was said is on the disk.
#[derive(Debug)]
pub struct Receipt(oneshot::Receiver<bool>);

impl Receipt {
    /// Returns once it is.
    ///
    /// # Errors
    /// [`Closed`] when it never will be.
    pub async fn on_disk(self) -> Result<(), Closed> {
        match self.0.await {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(Closed),
        }
    }
}

impl Desk {
    /// Gives an engine to a thread of its own. The thread ends, and closes the log, when the last desk is dropped.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(engine: Engine) -> io::Result<(Self, DeskThread)> {
        let (jobs, waiting) = channel();
        let (told, heads) = watch::channel(0);
        let (living, alive) = watch::channel(());
        let clerk = Clerk {
            engine,
            waiting,
            told,
            living,
            receipts: Vec::new(),
            dirty: None,
            looked: None,
            stopped: false,
            rested: true,
        };
        let thread = std::thread::Builder::new().name("desk".to_owned()).spawn(move || clerk.run())?;
        Ok((Self { jobs, heads, alive }, thread))
    }

    /// Asks the engine something. What it records may not be on the disk yet.
    ///
    /// # Errors
    /// [`Closed`].
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Engine) -> T + Send + 'static,
    ) -> Result<T, Closed> {
        let (tell, answer) = oneshot::channel();
        let work = Box::new(move |engine: &mut Engine| drop(tell.send(question(engine))));
        self.jobs.send(Job { work, receipt: None }).map_err(|_| Closed)?;
        answer.await.map_err(|_| Closed)
    }

    /// Asks the engine something that it records, and gives a receipt for it.
    ///
    /// # Errors
    /// [`Closed`].
    pub async fn record<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Engine) -> T + Send + 'static,
    ) -> Result<(T, Receipt), Closed> {
        let (tell, answer) = oneshot::channel();
        let (receipt, on_disk) = oneshot::channel();
        let work = Box::new(move |engine: &mut Engine| drop(tell.send(question(engine))));
        self.jobs.send(Job { work, receipt: Some(receipt) }).map_err(|_| Closed)?;
        Ok((answer.await.map_err(|_| Closed)?, Receipt(on_disk)))
    }

    /// Tells the engine something nobody waits for. It is on the disk a moment later.
    pub fn tell(&self, news: impl FnOnce(&mut Engine) -> Result<(), EngineError> + Send + 'static) {
        let work = Box::new(move |engine: &mut Engine| {
            if let Err(error) = news(engine) {
                tracing::error!(%error, "what happened in a turn could not be recorded");
            }
        });
        if self.jobs.send(Job { work, receipt: None }).is_err() {
            tracing::error!("what happened in a turn came after the log was closed");
        }
    }

    /// Returns when the thread has ended, which it does not do by itself while there is a desk.
    pub async fn ended(&self) {
        let mut alive = self.alive.clone();
        while alive.changed().await.is_ok() {}
    }

    /// Where the log ends on the disk, as it grows.
    pub fn heads(&self) -> watch::Receiver<u64> {
        self.heads.clone()
    }
}

/// Who has the engine.
struct Clerk {
    engine: Engine,
    waiting: Receiver<Job>,
    told: watch::Sender<u64>,
    #[expect(dead_code, reason = "dropped when the thread ends, however it ends")]
    living: watch::Sender<()>,
    /// Who waits for the next barrier.
    receipts: Vec<oneshot::Sender<bool>>,
    /// Since when something may be recorded and not on the disk.
    dirty: Option<Instant>,
    /// When the policy file was looked at last.
    looked: Option<Instant>,
    /// The log takes no more.
    stopped: bool,
    /// The log has nothing put off.
    rested: bool,
}

impl Clerk {
    fn run(mut self) -> Result<(), EngineError> {
        loop {
            let next = match (self.dirty, self.rested) {
                (Some(since), _) => self.waiting.recv_timeout(LINGER.saturating_sub(since.elapsed())),
                (None, false) => self.waiting.recv_timeout(REST),
                (None, true) => self.waiting.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match next {
                Ok(job) => self.serve(job),
                Err(RecvTimeoutError::Timeout) if self.dirty.is_some() => self.barrier(),
                Err(RecvTimeoutError::Timeout) => self.rest(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while !self.receipts.is_empty() && self.receipts.len() < MOST_AT_ONCE {
                let Ok(job) = self.waiting.try_recv() else { break };
                self.serve(job);
            }
            if !self.receipts.is_empty() || self.dirty.is_some_and(|since| LINGER <= since.elapsed()) {
                self.barrier();
            }
        }
        self.engine.close()
    }

    fn serve(&mut self, job: Job) {
        if self.stopped {
            // The answer's sender goes with the work: whoever waits is told.
            return;
        }
        self.look_at_policy();
        (job.work)(&mut self.engine);
        self.receipts.extend(job.receipt);
        self.dirty.get_or_insert_with(Instant::now);
    }

    /// Takes the policy file over when it changed, at most so often.
    fn look_at_policy(&mut self) {
        if self.looked.is_some_and(|looked| looked.elapsed() < POLICY_EVERY) {
            return;
        }
        self.looked = Some(Instant::now());
        match self.engine.refresh_policy() {
            Ok(None) => {}
            Ok(Some(trouble)) => {
                tracing::warn!(file = trouble.path, problems = trouble.problems.len(), "the last good policy decides");
            }
            Err(error) => tracing::error!(%error, "the policy could not be looked at"),
        }
    }

    /// Nothing has come for a while: what the log has put off is done now.
    fn rest(&mut self) {
        self.rested = true;
        if let Err(error) = self.engine.log().sync() {
            tracing::error!(%error, "the log takes no more events: no turn is decided from here on");
            self.stopped = true;
        }
    }

    fn barrier(&mut self) {
        self.dirty = None;
        self.rested = false;
        let done = self.engine.commit();
        if let Err(error) = &done {
            tracing::error!(%error, "the log takes no more events: no turn is decided from here on");
            self.stopped = true;
        }
        for receipt in self.receipts.drain(..) {
            // Who has gone away needs none.
            let _ = receipt.send(done.is_ok());
        }
        // Questions alone put nothing on the disk.
        let head = self.engine.log().head().map_or(0, |head| head.0);
        self.told.send_if_modified(|told| std::mem::replace(told, head) != head);
    }
}
