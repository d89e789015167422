//! The endpoint that compares the spending with the estimated cost of the models that clients requested.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use engine::Engine;
use event_bus::{Bus, BusError};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use what_if::{LatestTurns, Range, savings};

use super::{ApiError, ApiResult};
use crate::{gateway::Gateway, view::rfc3339};

/// The turns that are compared: at most these latest ones, so that time and memory do not grow with the log.
const LATEST: LatestTurns = LatestTurns { turns: 10_000, events: 200_000 };

/// The time for which a result is returned again although the log has grown.
const MAX_AGE: Duration = Duration::from_secs(30);

/// A cache of the latest result, with the time at which it was computed. Its lock is held during a comparison, so that
/// only one runs at a time.
#[derive(Debug, Default)]
pub(crate) struct SavingsCache(Mutex<Option<(Instant, Value)>>);

/// Sets a flag when it is dropped, which stops the comparison of a client that has disconnected.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Handles the page's request for the savings: the figures of `turnwise savings` for the [`LATEST`] turns, in
/// nano-dollars.
/// They are at most [`MAX_AGE`] old.
pub(super) async fn savings_of_log(gateway: &Arc<Gateway>) -> ApiResult {
    let mut latest = gateway.savings_cache().0.lock().await;
    if let Some((_, value)) = latest.as_ref().filter(|(at, _)| at.elapsed() < MAX_AGE) {
        return Ok(value.clone());
    }
    let (sources, models) = (gateway.sources().clone(), models(gateway.bus()).await?);
    let stopped = Arc::new(AtomicBool::new(false));
    let _guard = StopOnDrop(Arc::clone(&stopped));
    let compared = tokio::task::spawn_blocking(move || {
        let mut goes_on = |_| !stopped.load(Ordering::Relaxed);
        savings(sources.log.as_ref(), sources.texts.as_ref(), models, Range::default(), Some(LATEST), &mut goes_on)
    });
    let found = compared.await.map_err(ApiError::internal)?.map_err(ApiError::internal)?;
    let mut rules: Vec<_> = found.rules.iter().collect();
    rules.sort_by_key(|(name, rule)| (std::cmp::Reverse(rule.saved_nano_usd()), *name));
    let rules: Vec<_> = rules
        .into_iter()
        .map(|(name, rule)| {
            json!({
                "name": name, "turns": rule.turns, "spent": rule.spent_nano_usd, "requested": rule.requested_nano_usd,
                "saved": rule.saved_nano_usd(),
            })
        })
        .collect();
    let excluded: u64 = found.excluded.values().map(|total| total.turns).sum();
    let value = json!({
        "since": found.since.map(rfc3339), "turns": found.turns, "turns_on_another_model": found.turns_on_another_model,
        "spent": found.spent_nano_usd, "requested": found.requested_nano_usd, "saved": found.saved_nano_usd,
        "saved_without_cache_effects": found.saved_without_cache_effects_nano_usd,
        "calibration_error": found.calibration.total.to_string(), "not_compared": excluded, "rules": rules,
        "latest": LATEST.turns,
    });
    *latest = Some((Instant::now(), value.clone()));
    Ok(value)
}

/// Returns the registry of the engine's active models.
async fn models(bus: &Bus<Engine>) -> Result<Arc<contracts::Registry>, BusError> {
    bus.query(|engine| Arc::clone(&engine.models().registry)).await
}
