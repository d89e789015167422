//! Model of the clock: no time passes.

use std::time::Duration;

/// Model of `std::time::Instant`: all instants are equal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant;

impl Instant {
    pub(crate) const fn now() -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "the signature of the real one")]
    pub(crate) const fn elapsed(self) -> Duration {
        Duration::ZERO
    }
}

/// Model of `tokio::time::sleep`: never completes, so a time limit is never reached.
pub(crate) async fn sleep(_: Duration) {
    std::future::pending().await
}
