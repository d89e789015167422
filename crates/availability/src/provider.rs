//! The health of a provider and of its models, and the triggers of 004 §4.5.1.

use std::collections::BTreeMap;

use contracts::{
    ModelId, OutageScope, Provider,
    events::{ErrorClass, OutageTrigger},
};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    health::Health,
    outage::{Cause, Outage},
    thresholds::{NETWORK_WINDOW_SECONDS, SIBLING_WINDOW_SECONDS, SIBLINGS, STRIKE_WINDOW_SECONDS, STRIKES},
};

/// The health of a model, with the times of its latest failures for [`OutageTrigger::ConsecutiveFailures`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModelHealth {
    /// Failures, outage and probe of the model.
    pub(crate) health: Health,
    /// Times of the latest failures since the last success, at most [`STRIKES`].
    strikes: Vec<Timestamp>,
}

/// The health of a provider and of its models. Applies the triggers of outages to each failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProviderHealth {
    /// Failures, outage and probe of the provider.
    pub(crate) health: Health,
    /// Health of each model that was called.
    pub(crate) models: BTreeMap<ModelId, ModelHealth>,
    /// Time and model of the latest network error since the last success.
    network: Option<(Timestamp, ModelId)>,
}

impl ProviderHealth {
    /// Records the start of a call.
    pub(crate) fn sent(&mut self, model: &ModelId, call: EventId, at: Timestamp) {
        self.health.sent(call, at);
        if let Some(model) = self.models.get_mut(model) {
            model.health.sent(call, at);
        }
    }

    /// Records a successful call, which ends outages of the model and of the provider.
    pub(crate) fn answered(&mut self, model: &ModelId, cause: Cause) {
        if self.health.attempted(cause.at) {
            self.health.succeeded(cause);
            self.network = None;
        }
        match self.models.get_mut(model) {
            Some(known) => known.answered(cause),
            None => self.models.entry(model.clone()).or_default().answered(cause),
        }
    }

    /// Records a failed call whose cause is not the provider. It counts as an attempt.
    pub(crate) fn tried(&mut self, model: &ModelId, cause: Cause) {
        let model = self.models.entry(model.clone()).or_default();
        for health in [&mut self.health, &mut model.health] {
            if health.attempted(cause.at) {
                health.release_probe(cause);
            }
        }
    }

    /// Records a cancelled call. It does not count as an attempt.
    pub(crate) fn cancelled(&mut self, model: &ModelId, cause: Cause) {
        let model = self.models.get_mut(model).map(|model| &mut model.health);
        for health in std::iter::once(&mut self.health).chain(model) {
            health.release_probe(cause);
        }
    }

    /// Records a failed call whose cause is the provider. Returns the outages that were replaced before their recovery was
    /// announced in the log.
    pub(crate) fn failed(
        &mut self,
        provider: &Provider,
        model: &ModelId,
        class: ErrorClass,
        cause: Cause,
    ) -> impl Iterator<Item = Outage> {
        let replaced_model = self.models.entry(model.clone()).or_default().count_failure(model, cause);
        let replaced_provider = self.count_failure(provider, model, class, cause);
        [replaced_model, replaced_provider].into_iter().flatten()
    }

    /// Counts a failure of the provider and starts an outage if a trigger applies. Returns the replaced outage.
    fn count_failure(
        &mut self,
        provider: &Provider,
        model: &ModelId,
        class: ErrorClass,
        cause: Cause,
    ) -> Option<Outage> {
        if !self.health.attempted(cause.at) {
            return None;
        }
        self.health.failed(cause.at);
        let before = match class {
            ErrorClass::Network => self.network.replace((cause.at, model.clone())),
            _ => None,
        };
        if self.health.active().is_some() {
            return None;
        }
        let (trigger, models) = if class == ErrorClass::Auth {
            (OutageTrigger::AuthError, vec![model.clone()])
        } else if let Some((at, other)) = before
            && within(at, cause.at, NETWORK_WINDOW_SECONDS)
        {
            let mut models = vec![other, model.clone()];
            models.sort();
            models.dedup();
            (OutageTrigger::NetworkErrors, models)
        } else if let Some(models) = self.unavailable_siblings(model, cause) {
            (OutageTrigger::MultiModelFailures, models)
        } else if self.health.proves_outage(cause) {
            (OutageTrigger::ProbeFailed, vec![model.clone()])
        } else {
            return None;
        };
        self.health.start_outage(Outage::new(OutageScope::ProviderWide(provider.clone()), trigger, models, cause))
    }

    /// The models with outages started within the window; `None` unless this failure started one of them and there are at
    /// least [`SIBLINGS`].
    fn unavailable_siblings(&self, model: &ModelId, cause: Cause) -> Option<Vec<ModelId>> {
        let outage_cause = |health: &Health| health.active().map(|outage| outage.cause);
        if outage_cause(&self.models.get(model)?.health)?.event != cause.event {
            return None;
        }
        let models: Vec<_> = self
            .models
            .iter()
            .filter(|(_, sibling)| {
                outage_cause(&sibling.health).is_some_and(|out| within(out.at, cause.at, SIBLING_WINDOW_SECONDS))
            })
            .map(|(model, _)| model.clone())
            .collect();
        (SIBLINGS <= models.len()).then_some(models)
    }
}

impl ModelHealth {
    /// Records a successful call.
    fn answered(&mut self, cause: Cause) {
        if self.health.attempted(cause.at) {
            self.health.succeeded(cause);
            self.strikes.clear();
        }
    }

    /// Counts a failure and starts an outage if a trigger applies. Returns the replaced outage.
    fn count_failure(&mut self, model: &ModelId, cause: Cause) -> Option<Outage> {
        if !self.health.attempted(cause.at) {
            return None;
        }
        self.health.failed(cause.at);
        if self.strikes.len() == STRIKES {
            self.strikes.remove(0);
        }
        self.strikes.push(cause.at);
        let enough = self.strikes.len() == STRIKES
            && self.strikes.first().is_some_and(|first| within(*first, cause.at, STRIKE_WINDOW_SECONDS));
        let trigger = match enough {
            true => OutageTrigger::ConsecutiveFailures,
            false if self.health.proves_outage(cause) => OutageTrigger::ProbeFailed,
            false => return None,
        };
        if self.health.active().is_some() {
            return None;
        }
        let scope = OutageScope::ModelSpecific(model.clone());
        let outage = Outage::new(scope, trigger, vec![model.clone()], cause);
        self.health.start_outage(outage)
    }
}

/// Whether `later` is at most `seconds` after `earlier`.
const fn within(earlier: Timestamp, later: Timestamp, seconds: u64) -> bool {
    later.0 <= earlier.plus_secs(seconds).0
}
