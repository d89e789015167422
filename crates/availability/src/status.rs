//! The view for users: one row for each model or provider that was ever called.

use contracts::{KeyId, OutageScope, events::OutageTrigger};
use event_core::Timestamp;
use serde::Serialize;

use crate::{Availability, health::Health};

/// The availability of a model or provider, as shown to users. The conditions are those of [`crate::thresholds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AvailabilityState {
    /// No consecutive failures, or no attempt for five minutes.
    Healthy,
    /// Consecutive failures below the threshold of an outage; routing treats the scope as healthy.
    Degraded,
    /// A probe is running after an automatic recovery; routing rejects the scope for other calls.
    Probing,
    /// An outage is active; routing rejects the scope.
    Unavailable,
}

impl AvailabilityState {
    /// Returns the name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Degraded => "degraded",
            Self::Probing => "probing",
            Self::Unavailable => "unavailable",
        }
    }
}

/// The availability of a model or provider at a time: one row of the table for users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScopeStatus {
    /// The model or provider.
    pub scope: OutageScope,
    /// The state of the scope.
    pub state: AvailabilityState,
    /// The start of that state: of the outage, of the probe, or of the consecutive failures; `None` if healthy.
    pub since: Option<Timestamp>,
    /// The trigger of the outage; while a probe runs, that of the previous outage. `None` in other states.
    pub trigger: Option<OutageTrigger>,
    /// The configured key that the provider rejected, if that caused the active outage; otherwise `None`.
    pub key: Option<KeyId>,
    /// The time of automatic recovery, or the end of the probe; `None` if healthy or degraded.
    pub clears_at: Option<Timestamp>,
    /// The number of consecutive failures; 0 after an automatic recovery.
    pub failures: u32,
    /// The time of the latest call, if it was answered; `None` if it failed or there was none.
    pub answered_at: Option<Timestamp>,
}

/// The state of a model or provider that was not called, or not since its last outage, as shown to users.
pub const NOT_CHECKED: &str = "not checked";

impl ScopeStatus {
    /// Returns the state as shown to users, more specific than [`AvailabilityState::name`]: `key refused` and
    /// `unreachable` name the trigger, and `available` requires that the latest call was answered.
    pub const fn label(&self) -> &'static str {
        match (self.state, self.trigger, self.answered_at) {
            (AvailabilityState::Unavailable, Some(OutageTrigger::AuthError), _) => "key refused",
            (AvailabilityState::Unavailable, Some(OutageTrigger::NetworkErrors), _) => "unreachable",
            (AvailabilityState::Unavailable, ..) => "unavailable",
            (AvailabilityState::Probing, ..) => "being checked",
            (_, _, Some(_)) => "available",
            (AvailabilityState::Degraded, ..) => "failing",
            (AvailabilityState::Healthy, ..) => NOT_CHECKED,
        }
    }
}

impl Availability {
    /// Returns the status at a time of every scope that was ever called: each provider, followed by its models.
    pub fn status(&self, at: Timestamp) -> Vec<ScopeStatus> {
        let rows = self.providers.iter().flat_map(|(name, provider)| {
            let provider_row = scope_status(OutageScope::ProviderWide(name.clone()), &provider.health, at);
            let model_rows = provider
                .models
                .iter()
                .map(move |(name, model)| scope_status(OutageScope::ModelSpecific(name.clone()), &model.health, at));
            std::iter::once(provider_row).chain(model_rows)
        });
        rows.collect()
    }
}

/// Returns the status of one scope at a time.
fn scope_status(scope: OutageScope, health: &Health, at: Timestamp) -> ScopeStatus {
    let outage = health.active_outage().filter(|_| at < health.auto_recovery_at());
    let (probe, failures_since) = (health.running_probe(at), health.failures(at));
    let (state, since) = match (outage, probe, failures_since) {
        (Some(outage), _, _) => (AvailabilityState::Unavailable, Some(outage.cause.at)),
        (None, Some(probe), _) => (AvailabilityState::Probing, Some(probe.since)),
        (None, None, Some((_, since))) => (AvailabilityState::Degraded, Some(since)),
        (None, None, None) => (AvailabilityState::Healthy, None),
    };
    let is_unavailable = outage.is_some() || probe.is_some();
    ScopeStatus {
        scope,
        state,
        since,
        trigger: health.latest_outage().filter(|_| is_unavailable).map(|outage| outage.trigger),
        key: outage.and_then(|outage| outage.key.clone()),
        clears_at: health.unavailable_until(at).filter(|_| is_unavailable),
        failures: failures_since.map_or(0, |(failures, _)| failures),
        answered_at: health.answered_at(),
    }
}
