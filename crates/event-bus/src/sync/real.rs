//! The real things: locks and threads of the standard library, channels of tokio and crossbeam.

pub(crate) use std::{
    sync::{Mutex, MutexGuard, RwLock},
    thread,
};

pub(crate) use crossbeam_channel as queue;
pub(crate) use tokio::{
    sync::{Semaphore, oneshot, watch},
    task,
};

/// Batches that may wait for the writer. Producers beyond that wait for a permit.
pub(crate) const QUEUE: usize = 1_024;
