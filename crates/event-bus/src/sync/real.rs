//! The implementation that programs use: locks and threads of the standard library, channels of tokio and crossbeam.

pub(crate) use std::{
    sync::{Mutex, MutexGuard, RwLock},
    thread,
    time::Instant,
};

pub(crate) use crossbeam_channel as queue;
pub(crate) use tokio::{
    sync::{oneshot, watch},
    task,
    time::sleep,
};
