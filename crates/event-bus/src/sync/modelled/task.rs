//! Model of `tokio::task`: a task is a thread of the model checker.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use super::{checker, oneshot};
use crate::bus::block_on::block_on;

/// Error: the task ended without a result.
#[derive(Debug)]
pub(crate) struct JoinError;

pub(crate) struct JoinHandle<T>(oneshot::Receiver<T>);

/// Runs a future on a thread of the model checker.
pub(crate) fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let (tell, result) = oneshot::channel();
    checker::thread::spawn(move || {
        // The handle may have been dropped.
        drop(tell.send(block_on(future)));
    });
    JoinHandle(result)
}

/// Runs the closure immediately on the calling thread. Other threads can observe each of its steps nevertheless.
pub(crate) async fn spawn_blocking<T>(work: impl FnOnce() -> T) -> Result<T, JoinError> {
    Ok(work())
}

impl<T> JoinHandle<T> {
    pub(crate) fn is_finished(&self) -> bool {
        self.0.is_settled()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map_err(|oneshot::RecvError| JoinError)
    }
}
