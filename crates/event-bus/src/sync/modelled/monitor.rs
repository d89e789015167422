//! [`Monitor`], a state behind a lock, on which the channels of this implementation are built.

use std::{
    ops::Deref,
    sync::PoisonError,
    task::{Context, Poll, Waker},
};

use super::{Mutex, MutexGuard};

/// A value behind a lock, with a list of the tasks that wait for it to change.
#[derive(Debug)]
pub(super) struct Monitor<S> {
    /// The state and the wakers.
    inner: Mutex<Inner<S>>,
}

/// The value of a monitor, and the wakers of the tasks that wait for it to change.
#[derive(Debug)]
struct Inner<S> {
    /// The state.
    state: S,
    /// Wakers of the tasks that wait for a change.
    wakers: Vec<Waker>,
}

/// Read access to the value of a monitor; holds the lock.
pub(super) struct MonitorGuard<'a, S>(MutexGuard<'a, Inner<S>>);

impl<S> Deref for MonitorGuard<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0.state
    }
}

impl<S> Monitor<S> {
    /// Creates a monitor without waiting tasks.
    pub(super) fn new(state: S) -> Self {
        Self { inner: Mutex::new(Inner { state, wakers: Vec::new() }) }
    }

    /// Locks the state and the wakers.
    fn inner(&self) -> MutexGuard<'_, Inner<S>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the state for reading.
    pub(super) fn lock(&self) -> MonitorGuard<'_, S> {
        MonitorGuard(self.inner())
    }

    /// Applies `change` to the value without waking the tasks that wait for it. Returns the result of `change`.
    pub(super) fn change_silently<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        change(&mut self.inner().state)
    }

    /// Applies `change` to the value and, after the lock is released, wakes all tasks that wait for it. Returns the
    /// result of `change`.
    pub(super) fn change_and_wake<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        let (result, wakers) = {
            let mut inner = self.inner();
            (change(&mut inner.state), std::mem::take(&mut inner.wakers))
        };
        wakers.into_iter().for_each(Waker::wake);
        result
    }

    /// Applies `take` to the value and returns the result as ready. If the result is `None`, registers the task of
    /// `context` to be woken by the next [`Monitor::change_and_wake`].
    pub(super) fn poll<R>(&self, context: &Context<'_>, take: impl FnOnce(&mut S) -> Option<R>) -> Poll<R> {
        let mut inner = self.inner();
        if let Some(taken) = take(&mut inner.state) {
            return Poll::Ready(taken);
        }
        if !inner.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
            inner.wakers.push(context.waker().clone());
        }
        Poll::Pending
    }
}
