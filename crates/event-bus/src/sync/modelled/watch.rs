//! Model of `tokio::sync::watch`.

use std::{future::poll_fn, ops::Deref, sync::Arc};

use super::waited::{Look, Waited};

/// Error: the sender was dropped.
#[derive(Debug)]
pub(crate) struct RecvError;

/// State of a channel, shared by its sender and its receivers.
#[derive(Debug)]
struct State<T> {
    /// The present value.
    value: T,
    /// Number of modifications.
    version: u64,
    /// Whether the sender exists.
    sender: bool,
    /// Whether a receiver exists.
    receivers: bool,
}

pub(crate) struct Sender<T>(Arc<Waited<State<T>>>);

/// Receives a value that changes; `seen` is the version that this receiver has seen.
#[derive(Debug)]
pub(crate) struct Receiver<T> {
    shared: Arc<Receivers<T>>,
    seen: u64,
}

/// State shared by all receivers, dropped with the last one.
#[derive(Debug)]
struct Receivers<T>(Arc<Waited<State<T>>>);

impl<T> Drop for Receivers<T> {
    fn drop(&mut self) {
        self.0.change(|state| state.receivers = false);
    }
}

/// Read access to the value. Unlike the real type it excludes other readers.
pub(crate) struct Ref<'a, T>(Look<'a, State<T>>);

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

pub(crate) fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Waited::new(State { value, version: 0, sender: true, receivers: true }));
    (Sender(Arc::clone(&shared)), Receiver { shared: Arc::new(Receivers(shared)), seen: 0 })
}

impl<T> Sender<T> {
    pub(crate) fn borrow(&self) -> Ref<'_, T> {
        Ref(self.0.look())
    }

    pub(crate) fn send_modify(&self, modify: impl FnOnce(&mut T)) {
        self.send_if_modified(|value| {
            modify(value);
            true
        });
    }

    pub(crate) fn send_if_modified(&self, modify: impl FnOnce(&mut T) -> bool) -> bool {
        self.0.change(|state| {
            let modified = modify(&mut state.value);
            state.version += u64::from(modified);
            modified
        })
    }

    /// Waits until all receivers were dropped.
    pub(crate) async fn closed(&self) {
        poll_fn(|context| self.0.poll(context, |state| (!state.receivers).then_some(()))).await;
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.change(|state| state.sender = false);
    }
}

impl<T> Receiver<T> {
    pub(crate) fn borrow(&self) -> Ref<'_, T> {
        Ref(self.shared.0.look())
    }

    pub(crate) fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let look = self.shared.0.look();
        self.seen = look.version;
        Ref(look)
    }

    /// Waits for a value that this receiver has not seen. A value sent before the sender was dropped counts.
    pub(crate) async fn changed(&mut self) -> Result<(), RecvError> {
        let (shared, seen) = (&self.shared.0, &mut self.seen);
        poll_fn(|context| {
            shared.poll(context, |state| {
                if state.version != *seen {
                    *seen = state.version;
                    return Some(Ok(()));
                }
                (!state.sender).then_some(Err(RecvError))
            })
        })
        .await
    }

    /// Returns whether the present value satisfies the condition. The lock is not held across an await, since its guard
    /// cannot move between threads.
    fn check(&mut self, will_do: &mut impl FnMut(&T) -> bool) -> bool {
        let look = self.shared.0.look();
        self.seen = look.version;
        will_do(&look.value)
    }

    /// Waits for the first value that satisfies the condition, starting with the present one.
    pub(crate) async fn wait_for(&mut self, mut will_do: impl FnMut(&T) -> bool) -> Result<Ref<'_, T>, RecvError> {
        while !self.check(&mut will_do) {
            self.changed().await?;
        }
        Ok(self.borrow())
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), seen: self.seen }
    }
}
