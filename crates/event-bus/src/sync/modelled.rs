//! Stand-ins a model checker can see inside: everything is a state behind one of its locks.
//!
//! They keep the contract of what they stand for and are fair to no one, so that every order tokio and crossbeam
//! may choose is tried. Time does not exist: whatever waits for it gets it at once.

pub(crate) mod oneshot;
pub(crate) mod queue;
mod semaphore;
pub(crate) mod task;
pub(crate) mod thread;
mod waited;
pub(crate) mod watch;

#[cfg(feature = "model-loom")]
use loom as checker;
#[cfg(all(feature = "model-shuttle", not(feature = "model-loom")))]
use shuttle as checker;

pub(crate) use checker::sync::{Mutex, MutexGuard, RwLock};
pub(crate) use semaphore::Semaphore;

/// So few batches that producers wait for a permit in nearly every schedule.
pub(crate) const QUEUE: usize = 1;
