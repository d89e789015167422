//! The view a person reads: one row for every scope.

use contracts::{OutageScope, events::OutageTrigger};
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
    /// It was out until nobody tried any more, and a first call finds out whether it is well: routing rejects it for
    /// everybody else.
    Probing,
    /// Routing rejects it.
    Unavailable,
}

impl State {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Degraded => "degraded",
            Self::Probing => "probing",
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
    /// Since when: the failure that put it out, the start of the probe, or the first failure in a row; `None` when it is
    /// healthy.
    pub since: Option<Timestamp>,
    /// What put it out, or had put it out before the probe.
    pub trigger: Option<OutageTrigger>,
    /// When it counts as recovered if nobody tries again, or the probe is not answered.
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
    let standing = health.standing().filter(|_| at < health.quiet_from());
    let (probe, failing) = (health.probe(at), health.failures(at));
    let (state, since) = match (standing, probe, failing) {
        (Some(outage), _, _) => (State::Unavailable, Some(outage.cause.at)),
        (None, Some(probe), _) => (State::Probing, Some(probe.since)),
        (None, None, Some((_, since))) => (State::Degraded, Some(since)),
        (None, None, None) => (State::Healthy, None),
    };
    let is_out = standing.is_some() || probe.is_some();
    ScopeStatus {
        scope,
        state,
        since,
        trigger: health.latest().filter(|_| is_out).map(|outage| outage.trigger),
        clears_at: health.out_until(at).filter(|_| is_out),
        failures: failing.map_or(0, |(failures, _)| failures),
    }
}
