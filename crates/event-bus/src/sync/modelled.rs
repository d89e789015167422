//! Stand-ins that a model checker can follow: each is a state behind one of its locks.
//!
//! They keep the contract of the real types and are unfair, so that every order that tokio and crossbeam may choose is
//! tried. Time does not pass: see [`queue::Receiver::recv_timeout`] and [`time`].

pub(crate) mod oneshot;
pub(crate) mod queue;
pub(crate) mod task;
pub(crate) mod thread;
mod time;
mod waited;
pub(crate) mod watch;

#[cfg(feature = "model-loom")]
use loom as checker;
#[cfg(all(feature = "model-shuttle", not(feature = "model-loom")))]
use shuttle as checker;

pub(crate) use checker::sync::{Mutex, MutexGuard, RwLock};
pub(crate) use time::{Instant, sleep};
