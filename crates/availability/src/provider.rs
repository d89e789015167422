//! The health of a provider and of its models, and the triggers that start outages (004 §4.5.1).

use std::collections::BTreeMap;

use contracts::{
    KeyId, ModelId, OutageScope, Provider,
    events::{ErrorClass, OutageTrigger, RecoveredBy},
};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    health::Health,
    outage::{Cause, Outage},
    thresholds::{
        FAILURE_WINDOW_SECONDS, FAILURES_PER_OUTAGE, MODEL_WINDOW_SECONDS, MODELS_PER_OUTAGE, NETWORK_WINDOW_SECONDS,
    },
};

/// The health of a model, with the times of its latest failures for [`OutageTrigger::ConsecutiveFailures`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModelHealth {
    /// Failures, outage and probe of the model.
    pub(crate) health: Health,
    /// Times of the latest failures since the last success, at most [`FAILURES_PER_OUTAGE`].
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

/// The error of a failed call whose cause is the provider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Error<'a> {
    /// Class of the error.
    pub(crate) class: ErrorClass,
    /// The configured key that the provider rejected; `None` for other errors.
    pub(crate) key: Option<&'a KeyId>,
}

impl ProviderHealth {
    /// Records the start of a call to a model, for the provider and for the model if it was called before. `call` is
    /// the id of its event.
    pub(crate) fn record_start(&mut self, model: &ModelId, call: EventId, at: Timestamp) {
        self.health.record_start(call, at);
        if let Some(model) = self.models.get_mut(model) {
            model.health.record_start(call, at);
        }
    }

    /// Records a successful call, which ends outages of the model and of the provider.
    pub(crate) fn record_success(&mut self, model: &ModelId, cause: Cause) {
        if self.health.record_attempt(cause.at) {
            self.health.record_success(cause);
            self.network = None;
        }
        match self.models.get_mut(model) {
            Some(model) => model.record_success(cause),
            None => self.models.entry(model.clone()).or_default().record_success(cause),
        }
    }

    /// Records a failed call whose cause is not the provider. It counts as an attempt, which prolongs an outage, and if
    /// it was the probe, the next call becomes the probe.
    pub(crate) fn record_attempt(&mut self, model: &ModelId, cause: Cause) {
        let model = self.models.entry(model.clone()).or_default();
        for health in [&mut self.health, &mut model.health] {
            if health.record_attempt(cause.at) {
                health.release_probe(cause);
            }
        }
    }

    /// Records a cancelled call. It does not count as an attempt; if it was the probe, the next call becomes the probe.
    pub(crate) fn record_cancellation(&mut self, model: &ModelId, cause: Cause) {
        let model = self.models.get_mut(model).map(|model| &mut model.health);
        for health in std::iter::once(&mut self.health).chain(model) {
            health.release_probe(cause);
        }
    }

    /// Records a failed call whose cause is the provider, for the model and then for the provider. Returns the replaced
    /// outages whose start is in the log but not their end.
    pub(crate) fn record_failure(
        &mut self,
        provider: &Provider,
        model: &ModelId,
        error: Error<'_>,
        cause: Cause,
    ) -> impl Iterator<Item = Outage> {
        let replaced_model = self.models.entry(model.clone()).or_default().count_failure(model, cause);
        let replaced_provider = self.count_failure(provider, model, error, cause);
        [replaced_model, replaced_provider].into_iter().flatten()
    }

    /// Counts a failure of the provider and starts an outage if a trigger applies and none is active. Returns the
    /// replaced outage if its start is in the log but not its end. Ignores a failure older than the latest attempt.
    fn count_failure(
        &mut self,
        provider: &Provider,
        model: &ModelId,
        Error { class, key }: Error<'_>,
        cause: Cause,
    ) -> Option<Outage> {
        if !self.health.record_attempt(cause.at) {
            return None;
        }
        self.health.count_failure(cause.at);
        let previous_network_error = match class {
            ErrorClass::Network => self.network.replace((cause.at, model.clone())),
            _ => None,
        };
        if self.health.active_outage().is_some() {
            return None;
        }
        let (trigger, models) = if class == ErrorClass::Auth {
            (OutageTrigger::AuthError, vec![model.clone()])
        } else if let Some((at, previous_model)) = previous_network_error
            && within(at, cause.at, NETWORK_WINDOW_SECONDS)
        {
            let mut models = vec![previous_model, model.clone()];
            models.sort();
            models.dedup();
            (OutageTrigger::NetworkErrors, models)
        } else if let Some(models) = self.unavailable_models(model, cause) {
            (OutageTrigger::MultiModelFailures, models)
        } else if self.health.proves_outage(cause) {
            (OutageTrigger::ProbeFailed, vec![model.clone()])
        } else {
            return None;
        };
        let outage = Outage::new(OutageScope::ProviderWide(provider.clone()), trigger, models, cause);
        let key = key.filter(|_| trigger == OutageTrigger::AuthError).cloned();
        self.health.start_outage(Outage { key, ..outage })
    }

    /// Ends the outage of the provider, or that of one of its models, for a reason other than a call. Resets the
    /// failures that count towards the next outage of the scope.
    pub(crate) fn reset(&mut self, scope: &OutageScope, by: RecoveredBy, at: Timestamp) {
        match scope {
            OutageScope::ProviderWide(_) => {
                self.network = None;
                self.health.reset(by, at);
            }
            OutageScope::ModelSpecific(model) => {
                if let Some(model) = self.models.get_mut(model) {
                    model.strikes.clear();
                    model.health.reset(by, at);
                }
            }
        }
    }

    /// Returns the models of the provider whose outages started within [`MODEL_WINDOW_SECONDS`] before the failure
    /// `cause` of `model`; `None` if there are fewer than [`MODELS_PER_OUTAGE`], or if the failure did not start one of
    /// these outages.
    fn unavailable_models(&self, model: &ModelId, cause: Cause) -> Option<Vec<ModelId>> {
        let outage_cause = |health: &Health| health.active_outage().map(|outage| outage.cause);
        if outage_cause(&self.models.get(model)?.health)?.event != cause.event {
            return None;
        }
        let models: Vec<_> = self
            .models
            .iter()
            .filter(|(_, sibling)| {
                outage_cause(&sibling.health).is_some_and(|started| within(started.at, cause.at, MODEL_WINDOW_SECONDS))
            })
            .map(|(model, _)| model.clone())
            .collect();
        (MODELS_PER_OUTAGE <= models.len()).then_some(models)
    }
}

impl ModelHealth {
    /// Records a successful call, which ends the outage of the model. Ignored if it is older than the latest attempt.
    fn record_success(&mut self, cause: Cause) {
        if self.health.record_attempt(cause.at) {
            self.health.record_success(cause);
            self.strikes.clear();
        }
    }

    /// Counts a failure of the model and starts an outage if a trigger applies and none is active. Returns the replaced
    /// outage if its start is in the log but not its end. Ignores a failure older than the latest attempt.
    fn count_failure(&mut self, model: &ModelId, cause: Cause) -> Option<Outage> {
        if !self.health.record_attempt(cause.at) {
            return None;
        }
        self.health.count_failure(cause.at);
        if self.strikes.len() == FAILURES_PER_OUTAGE {
            self.strikes.remove(0);
        }
        self.strikes.push(cause.at);
        let threshold_reached = self.strikes.len() == FAILURES_PER_OUTAGE
            && self.strikes.first().is_some_and(|first| within(*first, cause.at, FAILURE_WINDOW_SECONDS));
        let trigger = if threshold_reached {
            OutageTrigger::ConsecutiveFailures
        } else if self.health.proves_outage(cause) {
            OutageTrigger::ProbeFailed
        } else {
            return None;
        };
        if self.health.active_outage().is_some() {
            return None;
        }
        let scope = OutageScope::ModelSpecific(model.clone());
        let outage = Outage::new(scope, trigger, vec![model.clone()], cause);
        self.health.start_outage(outage)
    }
}

/// Returns whether `later` is at most `seconds` after `earlier`, or before it.
const fn within(earlier: Timestamp, later: Timestamp, seconds: u64) -> bool {
    later.0 <= earlier.plus_secs(seconds).0
}
