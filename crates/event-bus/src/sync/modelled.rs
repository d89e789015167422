//! The implementation for model checkers: each type is a state behind one of the checker's locks.
//!
//! The types have the contract of the real ones but no fairness, so that every order that tokio and crossbeam may
//! choose is explored. Time does not pass: see [`queue::Receiver::recv_timeout`] and [`time`].

mod monitor;
pub(crate) mod oneshot;
pub(crate) mod queue;
pub(crate) mod task;
pub(crate) mod thread;
mod time;
pub(crate) mod watch;

#[cfg(feature = "model-loom")]
use loom as checker;
#[cfg(all(feature = "model-shuttle", not(feature = "model-loom")))]
use shuttle as checker;

pub(crate) use checker::sync::{Mutex, MutexGuard, RwLock};
pub(crate) use time::{Instant, sleep};
