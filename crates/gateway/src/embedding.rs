//! Embeds messages while the gateway runs, if the policy names an endpoint.

use std::time::Duration;

use adapters::{HttpClient, embedder::Timeouts};
use engine::{EmbeddingReactor, Engine};
use event_bus::{Bus, BusError};

/// The interval at which the policy is checked for an endpoint.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// Starts the reactor that embeds messages as soon as the policy names an endpoint for it. Returns when the reactor
/// runs or the bus has ended. Errors are logged.
///
/// Without an endpoint the reactor is not started, since it would only read every event of the log in vain.
pub(crate) async fn start_when_configured(bus: Bus<Engine>, client: HttpClient) {
    match start(bus, client).await {
        Ok(()) | Err(BusError::Closed) => {}
        Err(error) => tracing::error!(%error, "messages are not embedded"),
    }
}

/// Waits until the policy names an endpoint for embeddings, then starts the reactor that embeds messages.
///
/// # Errors
/// [`BusError`] if the bus ends, or the reactor cannot start.
async fn start(bus: Bus<Engine>, client: HttpClient) -> Result<(), BusError> {
    while !bus.query(|engine| engine.policy().policy.embedding().is_some()).await? {
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
    bus.run(Box::new(EmbeddingReactor::new(bus.clone(), client, Timeouts::default()))).await
}
