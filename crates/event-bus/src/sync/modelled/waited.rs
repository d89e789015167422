//! [`Waited`], a state behind a lock that wakes tasks when it changes.

use std::{
    ops::Deref,
    sync::PoisonError,
    task::{Context, Poll, Waker},
};

use super::{Mutex, MutexGuard};

/// A state behind a lock, with the wakers of the tasks that wait for a change.
#[derive(Debug)]
pub(super) struct Waited<S> {
    inner: Mutex<Inner<S>>,
}

/// The state, and the wakers of the tasks that wait for a change.
#[derive(Debug)]
struct Inner<S> {
    /// The state.
    state: S,
    /// Wakers of the tasks that wait for a change.
    wakers: Vec<Waker>,
}

/// Read access to the state, which holds the lock while it exists.
pub(super) struct Look<'a, S>(MutexGuard<'a, Inner<S>>);

impl<S> Deref for Look<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0.state
    }
}

impl<S> Waited<S> {
    pub(super) fn new(state: S) -> Self {
        Self { inner: Mutex::new(Inner { state, wakers: Vec::new() }) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner<S>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn look(&self) -> Look<'_, S> {
        Look(self.inner())
    }

    /// Changes the state without waking tasks.
    pub(super) fn with<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        change(&mut self.inner().state)
    }

    /// Changes the state, then wakes all waiting tasks.
    pub(super) fn change<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        let (changed, wakers) = {
            let mut inner = self.inner();
            (change(&mut inner.state), std::mem::take(&mut inner.wakers))
        };
        wakers.into_iter().for_each(Waker::wake);
        changed
    }

    /// Returns what `take` returns; while that is `None`, the task is woken at the next change.
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
