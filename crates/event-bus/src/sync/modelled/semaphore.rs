//! Stands for `tokio::sync::Semaphore`, without its order of who waited longest.

use std::future::poll_fn;

use super::waited::Waited;

/// No permits are given out any more.
#[derive(Debug)]
pub(crate) struct AcquireError;

struct State {
    permits: usize,
    closed: bool,
}

pub(crate) struct Semaphore(Waited<State>);

/// Goes back to the semaphore when dropped.
pub(crate) struct Permit<'a>(Option<&'a Semaphore>);

impl Semaphore {
    pub(crate) fn new(permits: usize) -> Self {
        Self(Waited::new(State { permits, closed: false }))
    }

    pub(crate) async fn acquire(&self) -> Result<Permit<'_>, AcquireError> {
        poll_fn(|context| {
            self.0.poll(context, |state| {
                if state.closed {
                    return Some(Err(AcquireError));
                }
                state.permits = state.permits.checked_sub(1)?;
                Some(Ok(Permit(Some(self))))
            })
        })
        .await
    }

    pub(crate) fn add_permits(&self, permits: usize) {
        self.0.change(|state| state.permits += permits);
    }

    pub(crate) fn close(&self) {
        self.0.change(|state| state.closed = true);
    }
}

impl Permit<'_> {
    pub(crate) fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if let Some(semaphore) = self.0 {
            semaphore.add_permits(1);
        }
    }
}
