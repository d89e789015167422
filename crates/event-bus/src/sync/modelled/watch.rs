//! Replaces `tokio::sync::watch`, a channel whose receivers see only the latest value.

use std::{future::poll_fn, ops::Deref, sync::Arc};

use super::monitor::{Monitor, MonitorGuard};

/// The error of receiving from a channel whose sender was dropped.
#[derive(Debug)]
pub(crate) struct RecvError;

/// The latest value of a watch channel, and which of its halves exist. Shared by both halves.
#[derive(Debug)]
struct State<T> {
    /// The latest value.
    value: T,
    /// Number of modifications so far.
    version: u64,
    /// Whether the sender exists.
    has_sender: bool,
    /// Whether a receiver exists.
    has_receivers: bool,
}

/// The sending half of a channel for the latest value.
pub(crate) struct Sender<T>(Arc<Monitor<State<T>>>);

/// The receiving half of a channel for the latest value. Each clone has its own version up to which it has seen the
/// value.
#[derive(Debug)]
pub(crate) struct Receiver<T> {
    /// The channel.
    shared: Arc<Receivers<T>>,
    /// Version of the value that this receiver has seen last.
    seen_version: u64,
}

/// State that all receivers of a channel share; dropped with the last of them.
#[derive(Debug)]
struct Receivers<T>(Arc<Monitor<State<T>>>);

/// Wakes the sender, if it waits for all receivers to be dropped.
impl<T> Drop for Receivers<T> {
    fn drop(&mut self) {
        self.0.change_and_wake(|state| state.has_receivers = false);
    }
}

/// Read access to the value of a channel, whose lock it holds. Unlike tokio's type it also excludes other readers.
pub(crate) struct Ref<'a, T>(MonitorGuard<'a, State<T>>);

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

/// Creates a channel with an initial value, which counts as seen. Returns its sending and its receiving half.
pub(crate) fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Monitor::new(State { value, version: 0, has_sender: true, has_receivers: true }));
    (Sender(Arc::clone(&shared)), Receiver { shared: Arc::new(Receivers(shared)), seen_version: 0 })
}

impl<T> Sender<T> {
    /// Locks the latest value for reading.
    pub(crate) fn borrow(&self) -> Ref<'_, T> {
        Ref(self.0.lock())
    }

    /// Modifies the value of the channel and wakes the receivers.
    pub(crate) fn send_modify(&self, modify: impl FnOnce(&mut T)) {
        self.send_if_modified(|value| {
            modify(value);
            true
        });
    }

    /// Calls `modify` with the value of the channel. If it returns true, the value counts as modified and the receivers
    /// see it as new. Returns the result of `modify`.
    pub(crate) fn send_if_modified(&self, modify: impl FnOnce(&mut T) -> bool) -> bool {
        self.0.change_and_wake(|state| {
            let is_modified = modify(&mut state.value);
            state.version += u64::from(is_modified);
            is_modified
        })
    }

    /// Waits until all receivers are dropped.
    pub(crate) async fn closed(&self) {
        poll_fn(|context| self.0.poll(context, |state| (!state.has_receivers).then_some(()))).await;
    }
}

/// Wakes the receivers, which then fail if they have seen the value.
impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.change_and_wake(|state| state.has_sender = false);
    }
}

impl<T> Receiver<T> {
    /// Locks the value for reading, without marking it as seen.
    pub(crate) fn borrow(&self) -> Ref<'_, T> {
        Ref(self.shared.0.lock())
    }

    /// Locks the value for reading and marks it as seen.
    pub(crate) fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let state = self.shared.0.lock();
        self.seen_version = state.version;
        Ref(state)
    }

    /// Waits for a value that this receiver has not seen, and marks it as seen. Fails if the sender was dropped and no
    /// such value is left.
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

    /// Marks the value as seen and returns the result of `matches`.
    ///
    /// This is a function of its own, since the lock must not be held across an await: its guard cannot move between
    /// threads.
    fn check(&mut self, matches: &mut impl FnMut(&T) -> bool) -> bool {
        let state = self.shared.0.lock();
        self.seen_version = state.version;
        matches(&state.value)
    }

    /// Waits for the first value for which `matches` returns true, beginning with the current one, and locks it for
    /// reading. Fails if the sender was dropped before.
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
