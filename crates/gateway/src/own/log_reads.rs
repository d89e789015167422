//! [`LogReads`], which bounds the requests of the page that read much of the log at the same time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hyper::StatusCode;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::ApiError;

/// The number of simulations that run at the same time.
const SIMULATIONS: usize = 1;
/// The number of searches and look-ups of turns that run at the same time.
const LOOKUPS: usize = 2;
/// The maximum time that a request waits for a place. Long enough that the page, which repeats a request after
/// cancelling it, gets the place of the cancelled one.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The places for requests that read the log. Each runs on a blocking thread and holds memory for what it reads.
#[derive(Debug)]
pub(crate) struct LogReads {
    simulations: Arc<Semaphore>,
    lookups: Arc<Semaphore>,
}

impl Default for LogReads {
    fn default() -> Self {
        Self { simulations: Arc::new(Semaphore::new(SIMULATIONS)), lookups: Arc::new(Semaphore::new(LOOKUPS)) }
    }
}

/// The permit of one request to read the log, returned when this value is dropped.
#[derive(Debug)]
pub(super) struct LogRead {
    #[expect(dead_code, reason = "held until the request has read the log")]
    permit: OwnedSemaphorePermit,
}

/// A flag that is set when the client of a request has disconnected.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cancelled(Arc<AtomicBool>);

impl Cancelled {
    /// Whether the request was cancelled.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Sets the flag [`Cancelled`] of a request when it is dropped.
struct CancelOnDrop(Cancelled);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

impl LogReads {
    /// Waits at most [`MAX_WAIT`] for the place of a simulation. Call it before the request body is read.
    ///
    /// # Errors
    /// Status 429 if there is none.
    pub(super) async fn simulation(&self) -> Result<LogRead, ApiError> {
        acquire(&self.simulations, "another simulation is running; try again in a moment").await
    }

    /// Waits at most [`MAX_WAIT`] for the place of a search or look-up.
    ///
    /// # Errors
    /// Status 429 if there is none.
    pub(super) async fn lookup(&self) -> Result<LogRead, ApiError> {
        acquire(&self.lookups, "too many searches are running; try again in a moment").await
    }
}

impl LogRead {
    /// Calls `read` on a blocking thread. Its argument is set when the client disconnects; the place is free when `read`
    /// has returned.
    pub(super) async fn run<T: Send + 'static>(
        self,
        read: impl FnOnce(&Cancelled) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let cancelled = Cancelled::default();
        let _guard = CancelOnDrop(cancelled.clone());
        let task = tokio::task::spawn_blocking(move || {
            let _place = self;
            read(&cancelled)
        });
        task.await.map_err(ApiError::internal)
    }
}

/// Waits for a place; status 429 with `message` after [`MAX_WAIT`].
async fn acquire(places: &Arc<Semaphore>, message: &str) -> Result<LogRead, ApiError> {
    match timeout(MAX_WAIT, Arc::clone(places).acquire_owned()).await {
        Ok(Ok(permit)) => Ok(LogRead { permit }),
        Ok(Err(_)) | Err(_) => Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, message)),
    }
}
