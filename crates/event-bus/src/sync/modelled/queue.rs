//! Model of `crossbeam_channel`.

use std::{collections::VecDeque, future::poll_fn, sync::Arc, time::Duration};

use super::waited::Waited;
use crate::bus::block_on::block_on;

/// State of a queue, shared by its senders and its receiver.
struct State<T> {
    /// Messages that were not received yet.
    messages: VecDeque<T>,
    /// Whether a sender exists.
    senders: bool,
    /// Whether the receiver exists.
    receiver: bool,
}

pub(crate) struct Sender<T>(Arc<Senders<T>>);

/// State shared by all senders, dropped with the last one.
struct Senders<T>(Arc<Waited<State<T>>>);

impl<T> Drop for Senders<T> {
    fn drop(&mut self) {
        self.0.change(|state| state.senders = false);
    }
}

pub(crate) struct Receiver<T>(Arc<Waited<State<T>>>);

/// Error: the receiver was dropped. Contains the message.
#[derive(Debug)]
pub(crate) struct SendError<T>(pub(crate) T);

/// Error: all senders were dropped and the queue is empty; for `try_recv` also that it is empty.
#[derive(Debug)]
pub(crate) struct RecvError;

#[derive(Debug)]
pub(crate) enum RecvTimeoutError {
    Timeout,
    Disconnected,
}

pub(crate) fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    let state = State { messages: VecDeque::new(), senders: true, receiver: true };
    let shared = Arc::new(Waited::new(state));
    (Sender(Arc::new(Senders(Arc::clone(&shared)))), Receiver(shared))
}

impl<T> Sender<T> {
    pub(crate) fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.0.0.change(|state| {
            if !state.receiver {
                return Err(SendError(message));
            }
            state.messages.push_back(message);
            Ok(())
        })
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> State<T> {
    /// Returns the next message, or an error if there will be none; `None` if one may follow.
    fn next(&mut self) -> Option<Result<T, RecvError>> {
        match self.messages.pop_front() {
            Some(message) => Some(Ok(message)),
            None => (!self.senders).then_some(Err(RecvError)),
        }
    }
}

impl<T> Receiver<T> {
    pub(crate) fn recv(&self) -> Result<T, RecvError> {
        block_on(poll_fn(|context| self.0.poll(context, State::next)))
    }

    pub(crate) fn try_recv(&self) -> Result<T, RecvError> {
        self.0.with(State::next).unwrap_or(Err(RecvError))
    }

    /// Times out if there is no message yet. The schedule determines whether one arrives in time, so both cases are
    /// tried.
    pub(crate) fn recv_timeout(&self, _: Duration) -> Result<T, RecvTimeoutError> {
        match self.0.with(State::next) {
            Some(message) => message.map_err(|RecvError| RecvTimeoutError::Disconnected),
            None => Err(RecvTimeoutError::Timeout),
        }
    }
}

impl<T> Drop for Receiver<T> {
    /// Drops queued messages and rejects later ones.
    fn drop(&mut self) {
        drop(self.0.with(|state| {
            state.receiver = false;
            std::mem::take(&mut state.messages)
        }));
    }
}
