//! Turns a panic of a request's handler into an error response.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
};

/// Awaits a future; `None` if it panics. The panic was printed by then. State that other requests share must be consistent
/// after a panic.
pub(crate) async fn catch_panic<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::catch_panic;

    #[tokio::test]
    async fn a_panic_is_none_also_after_the_future_has_waited() {
        assert_eq!(catch_panic(async { 7 }).await, Some(7));
        let panicking = async {
            tokio::task::yield_now().await;
            panic!("a fault of the handler");
        };
        assert_eq!(catch_panic::<()>(panicking).await, None);
    }
}
