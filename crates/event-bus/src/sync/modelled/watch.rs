//! Replaces `tokio::sync::watch`.

use std::{future::poll_fn, ops::Deref, sync::Arc};

use super::monitor::{Monitor, MonitorGuard};

/// The sender was dropped.
#[derive(Debug)]
pub(crate) struct RecvError;

#[derive(Debug)]
struct State<T> {
    value: T,
    /// Incremented by every modification.
    version: u64,
    has_sender: bool,
    has_receivers: bool,
}

/// The sending half.
pub(crate) struct Sender<T>(Arc<Monitor<State<T>>>);

/// The receiving half; each clone keeps track of the version it has seen.
#[derive(Debug)]
pub(crate) struct Receiver<T> {
    shared: Arc<Receivers<T>>,
    seen_version: u64,
}

/// The part that all receivers share; dropped with the last of them.
#[derive(Debug)]
struct Receivers<T>(Arc<Monitor<State<T>>>);

impl<T> Drop for Receivers<T> {
    fn drop(&mut self) {
        self.0.change_and_wake(|state| state.has_receivers = false);
    }
}

/// Read access to the value; holds the lock. Unlike the real type it also excludes other readers.
pub(crate) struct Ref<'a, T>(MonitorGuard<'a, State<T>>);

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

pub(crate) fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Monitor::new(State { value, version: 0, has_sender: true, has_receivers: true }));
    (Sender(Arc::clone(&shared)), Receiver { shared: Arc::new(Receivers(shared)), seen_version: 0 })
}

impl<T> Sender<T> {
    pub(crate) fn borrow(&self) -> Ref<'_, T> {
        Ref(self.0.lock())
    }

    pub(crate) fn send_modify(&self, modify: impl FnOnce(&mut T)) {
        self.send_if_modified(|value| {
            modify(value);
            true
        });
    }

    pub(crate) fn send_if_modified(&self, modify: impl FnOnce(&mut T) -> bool) -> bool {
        self.0.change_and_wake(|state| {
            let modified = modify(&mut state.value);
            state.version += u64::from(modified);
            modified
        })
    }

    /// Waits until all receivers are dropped.
    pub(crate) async fn closed(&self) {
        poll_fn(|context| self.0.poll(context, |state| (!state.has_receivers).then_some(()))).await;
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.change_and_wake(|state| state.has_sender = false);
    }
}

impl<T> Receiver<T> {
    pub(crate) fn borrow(&self) -> Ref<'_, T> {
        Ref(self.shared.0.lock())
    }

    pub(crate) fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let state = self.shared.0.lock();
        self.seen_version = state.version;
        Ref(state)
    }

    /// Waits for a value that this receiver has not seen. A value sent before the sender was dropped counts.
    pub(crate) async fn changed(&mut self) -> Result<(), RecvError> {
        let (shared, seen_version) = (&self.shared.0, &mut self.seen_version);
        poll_fn(|context| {
            shared.poll(context, |state| {
                if state.version != *seen_version {
                    *seen_version = state.version;
                    return Some(Ok(()));
                }
                (!state.has_sender).then_some(Err(RecvError))
            })
        })
        .await
    }

    /// Whether the current value matches. The lock is not held across an await: its guard cannot move between threads.
    fn check(&mut self, matches: &mut impl FnMut(&T) -> bool) -> bool {
        let state = self.shared.0.lock();
        self.seen_version = state.version;
        matches(&state.value)
    }

    /// Waits for the first value that matches, beginning with the current one, and returns it.
    pub(crate) async fn wait_for(&mut self, mut matches: impl FnMut(&T) -> bool) -> Result<Ref<'_, T>, RecvError> {
        while !self.check(&mut matches) {
            self.changed().await?;
        }
        Ok(self.borrow())
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), seen_version: self.seen_version }
    }
}
