//! Model of `std::thread`. Parking is implemented here, because loom does not distinguish a parked thread from one that
//! waits for a lock.

use std::sync::{Arc, PoisonError};

use super::{
    Mutex,
    checker::{self, sync::Condvar},
};

pub(crate) use checker::thread::{Builder, JoinHandle};

/// Handle of a thread, to unpark it.
#[derive(Clone)]
pub(crate) struct Thread(Arc<Token>);

/// Token of a thread: whether the next `park` returns immediately.
struct Token {
    /// Whether the token is available.
    given: Mutex<bool>,
    /// Notified when the token becomes available.
    parked: Condvar,
}

checker::thread_local! {
    static CURRENT: Thread = Thread(Arc::new(Token { given: Mutex::new(false), parked: Condvar::new() }));
}

pub(crate) fn current() -> Thread {
    CURRENT.with(Clone::clone)
}

/// Blocks the current thread until its token is available, and takes the token.
pub(crate) fn park() {
    let Thread(token) = current();
    let mut given = token.given.lock().unwrap_or_else(PoisonError::into_inner);
    while !*given {
        given = token.parked.wait(given).unwrap_or_else(PoisonError::into_inner);
    }
    *given = false;
}

impl Thread {
    pub(crate) fn unpark(&self) {
        *self.0.given.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.parked.notify_one();
    }
}
