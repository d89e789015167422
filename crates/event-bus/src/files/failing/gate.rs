//! [`Gate`], which blocks calls and lets a test wait for a blocked call.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A gate that blocks calls while it is closed. Initially open.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// Whether the gate is closed, and the number of blocked calls.
    state: Mutex<State>,
    /// Notified after each change of the state.
    changed: Condvar,
}

/// State of a gate: whether it is closed, and how many calls it blocks.
#[derive(Debug, Default)]
struct State {
    /// Whether calls are blocked.
    closed: bool,
    /// Number of blocked calls.
    waiting: u64,
}

impl Gate {
    /// Closes the gate.
    pub(super) fn close(&self) {
        self.state().closed = true;
    }

    /// Opens the gate and lets blocked calls continue.
    pub(super) fn open(&self) {
        self.state().closed = false;
        self.changed.notify_all();
    }

    /// Waits while the gate is closed.
    pub(super) fn pass(&self) {
        let mut state = self.state();
        state.waiting += 1;
        self.changed.notify_all();
        let mut state = self.changed.wait_while(state, |state| state.closed).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
    }

    /// Waits until a call is blocked or the gate is open. Returns whether a call is blocked.
    pub(super) fn wait_for_someone(&self) -> bool {
        let idle = |state: &mut State| state.closed && state.waiting == 0;
        let state = self.changed.wait_while(self.state(), idle).unwrap_or_else(PoisonError::into_inner);
        state.closed && state.waiting != 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
