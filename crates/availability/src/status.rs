//! The availability of models and providers as shown to users.

use contracts::{KeyId, OutageScope, events::OutageTrigger};
use event_core::Timestamp;
use serde::Serialize;

use crate::{Availability, health::Health};

/// The availability of a model or provider as shown to users. The thresholds are in [`crate::thresholds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AvailabilityState {
    /// There are no consecutive failures, or no attempt was made for five minutes.
    Healthy,
    /// There are consecutive failures, fewer than start an outage. Routing treats the model or provider as healthy.
    Degraded,
    /// A probe is running after an automatic recovery. Routing rejects the model or provider for other calls.
    Probing,
    /// An outage is active. Routing rejects the model or provider.
    Unavailable,
}

impl AvailabilityState {
    /// Returns the name of the state in tables and JSON.
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
    /// The availability of the model or provider.
    pub state: AvailabilityState,
    /// The start of the outage, of the probe, or of the consecutive failures; `None` if the state is healthy.
    pub since: Option<Timestamp>,
    /// The trigger of the active outage, or, while a probe runs, of the previous outage. `None` in other states.
    pub trigger: Option<OutageTrigger>,
    /// The configured key whose rejection caused the active outage; `None` in other cases.
    pub key: Option<KeyId>,
    /// The time of the automatic recovery, or the deadline of the probe; `None` if the state is healthy or degraded.
    pub clears_at: Option<Timestamp>,
    /// The number of consecutive failures; 0 after an automatic recovery.
    pub failures: u32,
    /// The time of the latest call if the provider responded to it; `None` if that call failed or there was none.
    pub answered_at: Option<Timestamp>,
    /// Whether the gateway has called the provider; false if the log has only imported calls.
    pub called: bool,
}

/// The label of a model or provider that the gateway has never called.
pub const NOT_CALLED: &str = "not called yet";

/// The label of a model or provider that was not called since its last outage.
pub const NOT_CHECKED: &str = "not checked";

impl ScopeStatus {
    /// Returns the text for the state that is shown to users. It is more specific than [`AvailabilityState::name`]:
    /// `key refused` and `unreachable` name the trigger, and `available` requires that the provider responded to the
    /// latest call.
    pub const fn label(&self) -> &'static str {
        match (self.state, self.trigger, self.answered_at) {
            (AvailabilityState::Unavailable, Some(OutageTrigger::AuthError), _) => "key refused",
            (AvailabilityState::Unavailable, Some(OutageTrigger::NetworkErrors), _) => "unreachable",
            (AvailabilityState::Unavailable, ..) => "unavailable",
            (AvailabilityState::Probing, ..) => "being checked",
            _ if !self.called => NOT_CALLED,
            (_, _, Some(_)) => "available",
            (AvailabilityState::Degraded, ..) => "failing",
            (AvailabilityState::Healthy, ..) => NOT_CHECKED,
        }
    }
}

impl Availability {
    /// Returns the status, at the time `at`, of every provider and model that was ever called. Each provider is
    /// followed by its models.
    pub fn status(&self, at: Timestamp) -> Vec<ScopeStatus> {
        let rows = self.providers.iter().flat_map(|(name, provider)| {
            let called = self.called_providers.contains(name);
            let provider_row = scope_status(OutageScope::ProviderWide(name.clone()), &provider.health, called, at);
            let model_rows = provider.models.iter().map(move |(name, model)| {
                scope_status(OutageScope::ModelSpecific(name.clone()), &model.health, called, at)
            });
            std::iter::once(provider_row).chain(model_rows)
        });
        rows.collect()
    }
}

/// Returns the status of one model or provider at the time `at`.
fn scope_status(scope: OutageScope, health: &Health, called: bool, at: Timestamp) -> ScopeStatus {
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
        called,
    }
}
