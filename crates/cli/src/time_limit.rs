//! Limits the time that a command waits for work.

use std::{sync::mpsc, thread, time::Duration};

/// Calls `work` on another thread and returns its result; `None` if it takes longer than `limit`. The thread then runs until
/// the process ends.
pub(crate) fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // The receiver is gone after the limit.
        let _ = sender.send(work());
    });
    receiver.recv_timeout(limit).ok()
}
