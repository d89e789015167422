//! The view a person reads: one row for every scope.

use contracts::{OutageScope, facts::OutageTrigger};
use event_core::Timestamp;
use serde::Serialize;

use crate::{Availability, health::Health};

/// How a scope is (004 §4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing is wrong.
    Healthy,
    /// Failures were seen, not enough to reject: routing treats it as healthy.
    Degraded,
    /// Routing rejects it.
    Unavailable,
}

impl State {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Degraded => "degraded",
            Self::Unavailable => "unavailable",
        }
    }
}

/// How a model or a provider is at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScopeStatus {
    /// Which model or provider.
    pub scope: OutageScope,
    /// How it is.
    pub state: State,
    /// Since when: the failure that put it out, or the first failure in a row; `None` when it is healthy.
    pub since: Option<Timestamp>,
    /// What put it out.
    pub trigger: Option<OutageTrigger>,
    /// When it counts as recovered if nobody tries again.
    pub clears_at: Option<Timestamp>,
    /// Failures in a row that say something about the provider.
    pub failures: u32,
}

impl Availability {
    /// Every scope that was ever called as it is at a time: each provider, followed by its models.
    pub fn status(&self, at: Timestamp) -> Vec<ScopeStatus> {
        let rows = self.providers.iter().flat_map(|(name, provider)| {
            let whole = row(OutageScope::ProviderWide(name.clone()), &provider.health, at);
            let models = provider.models.iter();
            let models =
                models.map(move |(name, model)| row(OutageScope::ModelSpecific(name.clone()), &model.health, at));
            std::iter::once(whole).chain(models)
        });
        rows.collect()
    }
}

fn row(scope: OutageScope, health: &Health, at: Timestamp) -> ScopeStatus {
    let clears_at = health.quiet_from();
    let standing = health.standing().filter(|_| at < clears_at);
    let failing = health.failures(at);
    let (state, since) = match (standing, failing) {
        (Some(outage), _) => (State::Unavailable, Some(outage.cause.at)),
        (None, Some((_, since))) => (State::Degraded, Some(since)),
        (None, None) => (State::Healthy, None),
    };
    ScopeStatus {
        scope,
        state,
        since,
        trigger: standing.map(|outage| outage.trigger),
        clears_at: standing.map(|_| clears_at),
        failures: failing.map_or(0, |(failures, _)| failures),
    }
}
