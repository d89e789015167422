//! [`Gate`], which blocks calls and lets a test wait for a blocked call.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Blocks threads while it is closed, and lets a test wait until a thread is blocked. Initially open.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// Whether the gate is closed, and the number of blocked calls.
    state: Mutex<State>,
    /// Notified when the gate opens and when a call begins to wait.
    changed: Condvar,
}

/// The state of a [`Gate`]: whether it is closed, and how many threads it blocks.
#[derive(Debug, Default)]
struct State {
    /// Whether calls are blocked.
    is_closed: bool,
    /// Number of calls that are blocked now.
    blocked_calls: u64,
}

impl Gate {
    /// Closes the gate: calls block in [`Gate::wait_while_closed`] from now on.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
    }

    /// Opens the gate and wakes all blocked calls.
    pub(super) fn open(&self) {
        self.state().is_closed = false;
        self.changed.notify_all();
    }

    /// Blocks the calling thread while the gate is closed.
    pub(super) fn wait_while_closed(&self) {
        let mut state = self.state();
        state.blocked_calls += 1;
        self.changed.notify_all();
        let mut state = self.changed.wait_while(state, |state| state.is_closed).unwrap_or_else(PoisonError::into_inner);
        state.blocked_calls -= 1;
    }

    /// Blocks until a call is blocked or the gate is open. Returns whether a call is blocked.
    pub(super) fn wait_for_blocked(&self) -> bool {
        let is_closed_and_unused = |state: &mut State| state.is_closed && state.blocked_calls == 0;
        let state = self.changed.wait_while(self.state(), is_closed_and_unused).unwrap_or_else(PoisonError::into_inner);
        state.is_closed && state.blocked_calls != 0
    }

    /// Locks the state.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
