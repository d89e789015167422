//! Replaces `tokio::sync::oneshot`, a channel for one value.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use super::monitor::Monitor;

/// The error of receiving from a channel whose sender was dropped without sending a value.
#[derive(Debug)]
pub(crate) struct RecvError;

/// State that the two halves of a channel share.
struct State<T> {
    /// The value that was sent and not received yet.
    value: Option<T>,
    /// Whether the sender exists and has not sent.
    has_sender: bool,
    /// Whether the receiver exists.
    has_receiver: bool,
}

/// The sending half of a channel for one value; `None` once it has sent.
pub(crate) struct Sender<T>(Option<Arc<Monitor<State<T>>>>);

/// The receiving half of a channel for one value.
pub(crate) struct Receiver<T>(Arc<Monitor<State<T>>>);

/// Creates a channel for one value. Returns its sending and its receiving half.
pub(crate) fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Monitor::new(State { value: None, has_sender: true, has_receiver: true }));
    (Sender(Some(Arc::clone(&shared))), Receiver(shared))
}

impl<T> Sender<T> {
    /// Returns whether the receiver was dropped.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.as_ref().is_none_or(|shared| !shared.lock().has_receiver)
    }

    /// Sends the value of the channel. Returns it as the error if the receiver was dropped.
    pub(crate) fn send(mut self, value: T) -> Result<(), T> {
        let Some(shared) = self.0.take() else { return Err(value) };
        shared.change_and_wake(|state| {
            state.has_sender = false;
            if !state.has_receiver {
                return Err(value);
            }
            state.value = Some(value);
            Ok(())
        })
    }
}

/// Wakes the receiver, which then fails if no value was sent.
impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let Some(shared) = &self.0 {
            shared.change_and_wake(|state| state.has_sender = false);
        }
    }
}

impl<T> Receiver<T> {
    /// Returns whether the future would complete now: a value was sent, or the sender was dropped.
    pub(super) fn is_ready(&self) -> bool {
        let state = self.0.lock();
        state.value.is_some() || !state.has_sender
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context, |state| match state.value.take() {
            Some(value) => Some(Ok(value)),
            None => (!state.has_sender).then_some(Err(RecvError)),
        })
    }
}

/// Drops a value that was sent but not received.
impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        // A value that was not received is dropped outside the lock.
        drop(self.0.change_silently(|state| {
            state.has_receiver = false;
            state.value.take()
        }));
    }
}
