//! Replaces `crossbeam_channel`.

use std::{collections::VecDeque, future::poll_fn, sync::Arc, time::Duration};

use super::monitor::Monitor;
use crate::bus::block_on::block_on;

struct State<T> {
    messages: VecDeque<T>,
    has_senders: bool,
    has_receiver: bool,
}

/// The sending half; clones send to the same queue.
pub(crate) struct Sender<T>(Arc<Senders<T>>);

/// The part that all senders share; dropped with the last of them.
struct Senders<T>(Arc<Monitor<State<T>>>);

impl<T> Drop for Senders<T> {
    fn drop(&mut self) {
        self.0.change_and_wake(|state| state.has_senders = false);
    }
}

/// The receiving half.
pub(crate) struct Receiver<T>(Arc<Monitor<State<T>>>);

/// The receiver was dropped. Holds the message.
#[derive(Debug)]
pub(crate) struct SendError<T>(pub(crate) T);

/// The queue is empty, and every sender was dropped. From [`Receiver::try_recv`] it may also mean that there is no
/// message yet.
#[derive(Debug)]
pub(crate) struct RecvError;

#[derive(Debug)]
pub(crate) enum RecvTimeoutError {
    /// There is no message yet.
    Timeout,
    /// The queue is empty, and every sender was dropped.
    Disconnected,
}

pub(crate) fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    let state = State { messages: VecDeque::new(), has_senders: true, has_receiver: true };
    let shared = Arc::new(Monitor::new(state));
    (Sender(Arc::new(Senders(Arc::clone(&shared)))), Receiver(shared))
}

impl<T> Sender<T> {
    pub(crate) fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.0.0.change_and_wake(|state| {
            if !state.has_receiver {
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
    /// Removes the first message; the error if there will be no more, `None` if there is none yet.
    fn next(&mut self) -> Option<Result<T, RecvError>> {
        match self.messages.pop_front() {
            Some(message) => Some(Ok(message)),
            None => (!self.has_senders).then_some(Err(RecvError)),
        }
    }
}

impl<T> Receiver<T> {
    pub(crate) fn recv(&self) -> Result<T, RecvError> {
        block_on(poll_fn(|context| self.0.poll(context, State::next)))
    }

    pub(crate) fn try_recv(&self) -> Result<T, RecvError> {
        self.0.change_silently(State::next).unwrap_or(Err(RecvError))
    }

    /// Times out at once if there is no message yet. The checker schedules senders before and after this call, so it
    /// explores both cases.
    pub(crate) fn recv_timeout(&self, _: Duration) -> Result<T, RecvTimeoutError> {
        match self.0.change_silently(State::next) {
            Some(message) => message.map_err(|RecvError| RecvTimeoutError::Disconnected),
            None => Err(RecvTimeoutError::Timeout),
        }
    }
}

impl<T> Drop for Receiver<T> {
    /// Drops the queued messages; messages that are sent later are refused.
    fn drop(&mut self) {
        drop(self.0.change_silently(|state| {
            state.has_receiver = false;
            std::mem::take(&mut state.messages)
        }));
    }
}
