//! Runs a future on a thread that has no runtime.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use crate::sync::thread::{self, Thread};

/// A waker that unparks the thread that polls the future.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future to completion on the current thread, which has no async runtime, and returns its output. The thread is
/// parked while the future waits.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            // A wake since the poll has set the thread's token, so `park` returns at once.
            Poll::Pending => thread::park(),
        }
    }
}
