//! Replaces `std::thread`. Parking is implemented here, because loom does not distinguish a parked thread from a thread
//! that waits for a lock.

use std::sync::{Arc, PoisonError};

use super::{
    Mutex,
    checker::{self, sync::Condvar},
};

pub(crate) use checker::thread::{Builder, JoinHandle};

/// A handle of a thread, with which other threads unpark it.
#[derive(Clone)]
pub(crate) struct Thread(Arc<Token>);

/// The park token of a thread: a flag that [`Thread::unpark`] sets and [`park`] waits for.
struct Token {
    /// Whether the next [`park`] returns at once.
    is_set: Mutex<bool>,
    /// Notified when the token is set.
    set: Condvar,
}

checker::thread_local! {
    /// Handle of the current thread.
    static CURRENT: Thread = Thread(Arc::new(Token { is_set: Mutex::new(false), set: Condvar::new() }));
}

/// Returns the handle of the current thread.
pub(crate) fn current() -> Thread {
    CURRENT.with(Clone::clone)
}

/// Blocks the current thread until [`Thread::unpark`] sets its token, then clears the token. Returns at once if it is
/// set already.
pub(crate) fn park() {
    let Thread(token) = current();
    let mut is_set = token.is_set.lock().unwrap_or_else(PoisonError::into_inner);
    while !*is_set {
        is_set = token.set.wait(is_set).unwrap_or_else(PoisonError::into_inner);
    }
    *is_set = false;
}

impl Thread {
    /// Sets the token of the thread, which ends its present or next [`park`].
    pub(crate) fn unpark(&self) {
        *self.0.is_set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.set.notify_one();
    }
}
