//! Records the end of outages that end by time alone, also if no request arrives.

use std::time::Duration;

use engine::Engine;
use event_bus::Bus;
use tokio::time::sleep;

/// The interval of the check. It reads memory only, and writes if an outage has ended.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Records the end of outages whose time has passed, at most [`CHECK_INTERVAL`] late. Returns when the bus has ended;
/// other errors are logged.
pub(crate) async fn record_recoveries(bus: Bus<Engine>) {
    loop {
        sleep(CHECK_INTERVAL).await;
        let Ok(due) = bus.query(|engine: &Engine| engine.has_due_transitions()).await else { return };
        if !due {
            continue;
        }
        let Ok((recorded, _durable)) = bus.command(Engine::record_consequences).await else { return };
        if let Err(error) = recorded {
            tracing::error!(%error, "the end of an outage cannot be recorded");
        }
    }
}
