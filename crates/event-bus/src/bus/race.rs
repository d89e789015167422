//! [`race`], which waits for the first of two futures.

use std::{future::poll_fn, pin::pin, task::Poll};

/// Returns the output of `first`; `None` if `second` completes before it.
pub(super) async fn race<A: Future, B: Future>(first: A, second: B) -> Option<A::Output> {
    let (mut first, mut second) = (pin!(first), pin!(second));
    poll_fn(|context| match first.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => second.as_mut().poll(context).map(|_| None),
    })
    .await
}
