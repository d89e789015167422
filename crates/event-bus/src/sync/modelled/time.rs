//! Stands for the clock: no time passes in a model.

use std::time::Duration;

/// Stands for `std::time::Instant`.
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

/// Stands for `tokio::time::sleep`: never returns, so a limit in time is never reached.
pub(crate) async fn sleep(_: Duration) {
    std::future::pending().await
}
