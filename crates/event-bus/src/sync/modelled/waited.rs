//! A state behind a lock, and who wants to know that it changed.

use std::{
    ops::Deref,
    sync::PoisonError,
    task::{Context, Poll, Waker},
};

use super::{Mutex, MutexGuard};

#[derive(Debug)]
pub(super) struct Waited<S> {
    inner: Mutex<Inner<S>>,
}

#[derive(Debug)]
struct Inner<S> {
    state: S,
    wakers: Vec<Waker>,
}

/// The state, which stands still meanwhile.
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

    /// Changes the state without telling anyone.
    pub(super) fn with<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        change(&mut self.inner().state)
    }

    /// Changes the state, then wakes everyone who waits.
    pub(super) fn change<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        let (changed, wakers) = {
            let mut inner = self.inner();
            (change(&mut inner.state), std::mem::take(&mut inner.wakers))
        };
        wakers.into_iter().for_each(Waker::wake);
        changed
    }

    /// What the state has to offer; with nothing there the task is woken at the next change.
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
