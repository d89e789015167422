//! Replaces the clock and timers: no time passes in a model.

use std::time::Duration;

/// Replaces `std::time::Instant`; no time ever elapses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant;

impl Instant {
    /// Returns an instant; all instants are equal.
    pub(crate) const fn now() -> Self {
        Self
    }

    /// Returns zero, since no time passes.
    #[expect(clippy::unused_self, reason = "the signature of the real one")]
    pub(crate) const fn elapsed(self) -> Duration {
        Duration::ZERO
    }
}

/// Replaces `tokio::time::sleep`. Never completes, so time limits are never reached.
pub(crate) async fn sleep(_: Duration) {
    std::future::pending().await
}
