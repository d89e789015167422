//! Model of `tokio::sync::oneshot`.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use super::waited::Waited;

/// Error: the sender was dropped without sending a value.
#[derive(Debug)]
pub(crate) struct RecvError;

/// State of a channel, shared by its sender and its receiver.
struct State<T> {
    /// The value, after it was sent and before it was received.
    value: Option<T>,
    /// Whether the sender exists.
    sender: bool,
    /// Whether the receiver exists.
    receiver: bool,
}

/// Sends one value. `None` after that.
pub(crate) struct Sender<T>(Option<Arc<Waited<State<T>>>>);

pub(crate) struct Receiver<T>(Arc<Waited<State<T>>>);

pub(crate) fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Waited::new(State { value: None, sender: true, receiver: true }));
    (Sender(Some(Arc::clone(&shared))), Receiver(shared))
}

impl<T> Sender<T> {
    /// Sends the value; returns it if the receiver was dropped.
    pub(crate) fn send(mut self, value: T) -> Result<(), T> {
        let Some(shared) = self.0.take() else { return Err(value) };
        shared.change(|state| {
            state.sender = false;
            if !state.receiver {
                return Err(value);
            }
            state.value = Some(value);
            Ok(())
        })
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let Some(shared) = &self.0 {
            shared.change(|state| state.sender = false);
        }
    }
}

impl<T> Receiver<T> {
    /// Returns whether receiving would complete immediately.
    pub(super) fn is_settled(&self) -> bool {
        let state = self.0.look();
        state.value.is_some() || !state.sender
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context, |state| match state.value.take() {
            Some(value) => Some(Ok(value)),
            None => (!state.sender).then_some(Err(RecvError)),
        })
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        // A value that was not received is dropped outside the lock.
        drop(self.0.with(|state| {
            state.receiver = false;
            state.value.take()
        }));
    }
}
