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

/// A model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModelHealth {
    pub(crate) health: Health,
    /// Failures since the last success, the latest [`STRIKES`] of them.
    strikes: Vec<Timestamp>,
}

/// A provider.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProviderHealth {
    pub(crate) health: Health,
    pub(crate) models: BTreeMap<ModelId, ModelHealth>,
    /// The latest network error since the last success.
    network: Option<(Timestamp, ModelId)>,
}

impl ProviderHealth {
    /// A call was sent.
    pub(crate) fn sent(&mut self, model: &ModelId, call: EventId, at: Timestamp) {
        self.health.sent(call, at);
        if let Some(model) = self.models.get_mut(model) {
            model.health.sent(call, at);
        }
    }

    /// A call was answered: the model is well, and so is its provider.
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

    /// A call failed for a reason that says nothing about the provider; it still was an attempt.
    pub(crate) fn tried(&mut self, model: &ModelId, cause: Cause) {
        let model = self.models.entry(model.clone()).or_default();
        for health in [&mut self.health, &mut model.health] {
            if health.attempted(cause.at) {
                health.learned_nothing(cause);
            }
        }
    }

    /// A call was cancelled: that is no attempt.
    pub(crate) fn cancelled(&mut self, model: &ModelId, cause: Cause) {
        let model = self.models.get_mut(model).map(|model| &mut model.health);
        for health in std::iter::once(&mut self.health).chain(model) {
            health.learned_nothing(cause);
        }
    }

    /// A call failed for a reason that does. Gives the outages that were replaced before the log told of their end.
    pub(crate) fn failed(
        &mut self,
        provider: &Provider,
        model: &ModelId,
        class: ErrorClass,
        cause: Cause,
    ) -> impl Iterator<Item = Outage> {
        let replaced_model = self.models.entry(model.clone()).or_default().struck(model, cause);
        let replaced_provider = self.escalated(provider, model, class, cause);
        [replaced_model, replaced_provider].into_iter().flatten()
    }

    /// Counts a failure against the provider, and puts it out if that was one too many.
    fn escalated(&mut self, provider: &Provider, model: &ModelId, class: ErrorClass, cause: Cause) -> Option<Outage> {
        if !self.health.attempted(cause.at) {
            return None;
        }
        self.health.failed(cause.at);
        let before = match class {
            ErrorClass::Network => self.network.replace((cause.at, model.clone())),
            _ => None,
        };
        if self.health.standing().is_some() {
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
        } else if let Some(models) = self.siblings_out(model, cause) {
            (OutageTrigger::MultiModelFailures, models)
        } else if self.health.fails_again(cause) {
            (OutageTrigger::ProbeFailed, vec![model.clone()])
        } else {
            return None;
        };
        self.health.put_out(Outage::new(OutageScope::ProviderWide(provider.clone()), trigger, models, cause))
    }

    /// The models that went out within the window, when this very failure put one out and they are enough.
    fn siblings_out(&self, model: &ModelId, cause: Cause) -> Option<Vec<ModelId>> {
        let went_out = |health: &Health| health.standing().map(|outage| outage.cause);
        if went_out(&self.models.get(model)?.health)?.event != cause.event {
            return None;
        }
        let models: Vec<_> = self
            .models
            .iter()
            .filter(|(_, sibling)| {
                went_out(&sibling.health).is_some_and(|out| within(out.at, cause.at, SIBLING_WINDOW_SECONDS))
            })
            .map(|(model, _)| model.clone())
            .collect();
        (SIBLINGS <= models.len()).then_some(models)
    }
}

impl ModelHealth {
    /// A call was answered.
    fn answered(&mut self, cause: Cause) {
        if self.health.attempted(cause.at) {
            self.health.succeeded(cause);
            self.strikes.clear();
        }
    }

    /// Counts a failure, and puts the model out if that was one too many.
    fn struck(&mut self, model: &ModelId, cause: Cause) -> Option<Outage> {
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
            false if self.health.fails_again(cause) => OutageTrigger::ProbeFailed,
            false => return None,
        };
        if self.health.standing().is_some() {
            return None;
        }
        let scope = OutageScope::ModelSpecific(model.clone());
        let outage = Outage::new(scope, trigger, vec![model.clone()], cause);
        self.health.put_out(outage)
    }
}

/// Whether two points in time are at most so many seconds apart.
const fn within(earlier: Timestamp, later: Timestamp, seconds: u64) -> bool {
    later.0 <= earlier.plus_secs(seconds).0
}
