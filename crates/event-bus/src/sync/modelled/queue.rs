//! Replaces `crossbeam_channel`, a queue of messages without a limit.

use std::{collections::VecDeque, future::poll_fn, sync::Arc, time::Duration};

use super::monitor::Monitor;
use crate::bus::block_on::block_on;

/// The messages of a queue, and which of its halves exist. Shared by both halves.
struct State<T> {
    /// Messages that were sent and not received yet, oldest first.
    messages: VecDeque<T>,
    /// Whether a sender exists.
    has_senders: bool,
    /// Whether the receiver exists.
    has_receiver: bool,
}

/// The sending half of a queue. Clones send to the same queue.
pub(crate) struct Sender<T>(Arc<Senders<T>>);

/// State that all senders share; dropped with the last of them.
struct Senders<T>(Arc<Monitor<State<T>>>);

/// Wakes the receiver, which then finds that there will be no more messages.
impl<T> Drop for Senders<T> {
    fn drop(&mut self) {
        self.0.change_and_wake(|state| state.has_senders = false);
    }
}

/// The receiving half of a queue.
pub(crate) struct Receiver<T>(Arc<Monitor<State<T>>>);

/// Error of sending to a queue whose receiver was dropped. Contains the message.
#[derive(Debug)]
pub(crate) struct SendError<T>(pub(crate) T);

/// Error of receiving from an empty queue without senders. [`Receiver::try_recv`] also returns it while senders exist.
#[derive(Debug)]
pub(crate) struct RecvError;

/// Error of [`Receiver::recv_timeout`].
#[derive(Debug)]
pub(crate) enum RecvTimeoutError {
    /// The queue is empty, and a sender exists.
    Timeout,
    /// The queue is empty, and every sender was dropped.
    Disconnected,
}

/// Creates a queue of messages without a size limit. Returns its sending and its receiving half.
pub(crate) fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    let state = State { messages: VecDeque::new(), has_senders: true, has_receiver: true };
    let shared = Arc::new(Monitor::new(state));
    (Sender(Arc::new(Senders(Arc::clone(&shared)))), Receiver(shared))
}

impl<T> Sender<T> {
    /// Returns the number of messages in the queue.
    pub(crate) fn len(&self) -> usize {
        self.0.0.lock().messages.len()
    }

    /// Appends a message to the queue and wakes the receiver. Fails if the receiver was dropped.
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
    /// Removes and returns the first message of the queue. If there is none, returns `None`, or an error if every
    /// sender was dropped.
    fn next(&mut self) -> Option<Result<T, RecvError>> {
        match self.messages.pop_front() {
            Some(message) => Some(Ok(message)),
            None => (!self.has_senders).then_some(Err(RecvError)),
        }
    }
}

impl<T> Receiver<T> {
    /// Blocks until there is a message, and returns it. Fails if the queue is empty and every sender was dropped.
    pub(crate) fn recv(&self) -> Result<T, RecvError> {
        block_on(poll_fn(|context| self.0.poll(context, State::next)))
    }

    /// Returns the first message of the queue; fails if there is none.
    pub(crate) fn try_recv(&self) -> Result<T, RecvError> {
        self.0.change_silently(State::next).unwrap_or(Err(RecvError))
    }

    /// Returns the first message of the queue, or times out at once if there is none. The model checker schedules
    /// senders before and after this call, so it explores both cases. The duration is ignored.
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
