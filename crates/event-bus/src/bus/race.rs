//! [`run_until`], which cancels a future when another one completes.

use std::{future::poll_fn, pin::pin, task::Poll};

/// Runs `future` until it completes or `cancel` completes. Returns the output of `future`; `None` if `cancel` completed
/// first, and `future` is then dropped. If both are ready, the output of `future` is returned.
pub(super) async fn run_until<F: Future, C: Future>(future: F, cancel: C) -> Option<F::Output> {
    let (mut future, mut cancel) = (pin!(future), pin!(cancel));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => cancel.as_mut().poll(context).map(|_| None),
    })
    .await
}
