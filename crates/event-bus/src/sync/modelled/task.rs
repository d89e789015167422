//! Replaces `tokio::task`. A task is a thread of the model checker.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use super::{checker, oneshot};
use crate::bus::block_on::block_on;

/// The error of waiting for a task that ended without a result.
#[derive(Debug)]
pub(crate) struct JoinError;

/// A future of the result of a task. Dropping it does not end the task.
pub(crate) struct JoinHandle<T>(oneshot::Receiver<T>);

/// Runs a future as a task on a new thread of the model checker. Returns a handle of its result.
pub(crate) fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let (sender, result) = oneshot::channel();
    checker::thread::spawn(move || {
        // The receiver is gone if the handle was dropped.
        drop(sender.send(block_on(future)));
    });
    JoinHandle(result)
}

/// Runs `work` on the calling thread. The model checker interleaves its steps with other threads nevertheless.
pub(crate) async fn spawn_blocking<T>(work: impl FnOnce() -> T) -> Result<T, JoinError> {
    Ok(work())
}

impl<T> JoinHandle<T> {
    /// Returns whether the task has ended.
    pub(crate) fn is_finished(&self) -> bool {
        self.0.is_ready()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map_err(|oneshot::RecvError| JoinError)
    }
}
