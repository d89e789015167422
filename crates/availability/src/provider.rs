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
    outage::{CauseEvent, Outage},
    thresholds::{
        FAILURE_WINDOW_SECONDS, FAILURES_PER_OUTAGE, MODEL_WINDOW_SECONDS, MODELS_PER_OUTAGE, NETWORK_WINDOW_SECONDS,
    },
};

/// The health of one model, with the times of its latest failures for the trigger
/// [`OutageTrigger::ConsecutiveFailures`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModelHealth {
    /// Failures, outage and probe of the model.
    pub(crate) health: Health,
    /// Times of the latest failures since the last success, oldest first, at most [`FAILURES_PER_OUTAGE`].
    strikes: Vec<Timestamp>,
}

/// The health of a provider and of its models. Each failed call is tested against the triggers of outages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProviderHealth {
    /// Failures, outage and probe of the provider.
    pub(crate) health: Health,
    /// Health of each model that was called.
    pub(crate) models: BTreeMap<ModelId, ModelHealth>,
    /// Time and model of the latest network error since the last success; `None` if there was none.
    network: Option<(Timestamp, ModelId)>,
}

/// A failure of a call that the provider caused.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProviderError<'a> {
    /// Class of the failure.
    pub(crate) class: ErrorClass,
    /// The configured key that the provider rejected; `None` for other failures.
    pub(crate) key: Option<&'a KeyId>,
}

impl ProviderHealth {
    /// Records the start of a call to `model`, for the provider, and for the model if it was called before. `call` is
    /// the id of the event.
    pub(crate) fn record_start(&mut self, model: &ModelId, call: EventId, at: Timestamp) {
        self.health.record_start(call, at);
        if let Some(model) = self.models.get_mut(model) {
            model.health.record_start(call, at);
        }
    }

    /// Records a successful call, which ends the outages of the model and of the provider.
    pub(crate) fn record_success(&mut self, model: &ModelId, cause: CauseEvent) {
        if self.health.record_attempt(cause.at) {
            self.health.record_success(cause);
            self.network = None;
        }
        match self.models.get_mut(model) {
            Some(model) => model.record_success(cause),
            None => self.models.entry(model.clone()).or_default().record_success(cause),
        }
    }

    /// Records a call that failed for a reason other than the provider. It counts as an attempt, which prolongs an
    /// outage. If it was the probe, the next call becomes the probe.
    pub(crate) fn record_attempt(&mut self, model: &ModelId, cause: CauseEvent) {
        let model = self.models.entry(model.clone()).or_default();
        for health in [&mut self.health, &mut model.health] {
            if health.record_attempt(cause.at) {
                health.release_probe(cause);
            }
        }
    }

    /// Records a cancelled call, which does not count as an attempt. If it was the probe, the next call becomes the
    /// probe.
    pub(crate) fn record_cancellation(&mut self, model: &ModelId, cause: CauseEvent) {
        let model = self.models.get_mut(model).map(|model| &mut model.health);
        for health in std::iter::once(&mut self.health).chain(model) {
            health.release_probe(cause);
        }
    }

    /// Records a call that failed because of the provider, for the model and then for the provider. Returns the outages
    /// that were replaced although the log has the event of their start and not of their end.
    pub(crate) fn record_failure(
        &mut self,
        provider: &Provider,
        model: &ModelId,
        error: ProviderError<'_>,
        cause: CauseEvent,
    ) -> impl Iterator<Item = Outage> {
        let replaced_model = self.models.entry(model.clone()).or_default().count_failure(model, cause);
        let replaced_provider = self.count_failure(provider, model, error, cause);
        [replaced_model, replaced_provider].into_iter().flatten()
    }

    /// Counts a failure of the provider, and starts an outage if a trigger applies and no outage is active. Returns the
    /// outage that was replaced if the log has the event of its start but not of its end. Ignores a failure that is
    /// older than the latest attempt.
    fn count_failure(
        &mut self,
        provider: &Provider,
        model: &ModelId,
        ProviderError { class, key }: ProviderError<'_>,
        cause: CauseEvent,
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
            && is_within_seconds(at, cause.at, NETWORK_WINDOW_SECONDS)
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

    /// Ends the outage of the provider or of one of its models at the time `at`, for a reason `by` other than a call.
    /// Resets the failures that count towards the next outage.
    pub(crate) fn end_outage(&mut self, scope: &OutageScope, by: RecoveredBy, at: Timestamp) {
        match scope {
            OutageScope::ProviderWide(_) => {
                self.network = None;
                self.health.end_outage(by, at);
            }
            OutageScope::ModelSpecific(model) => {
                if let Some(model) = self.models.get_mut(model) {
                    model.strikes.clear();
                    model.health.end_outage(by, at);
                }
            }
        }
    }

    /// Returns the models of the provider whose active outages started at most [`MODEL_WINDOW_SECONDS`] before `cause`,
    /// the failure of `model`. `None` if there are fewer than [`MODELS_PER_OUTAGE`] such models, or if the failure did
    /// not itself start the outage of `model`.
    fn unavailable_models(&self, model: &ModelId, cause: CauseEvent) -> Option<Vec<ModelId>> {
        let outage_cause = |health: &Health| health.active_outage().map(|outage| outage.cause);
        if outage_cause(&self.models.get(model)?.health)?.event != cause.event {
            return None;
        }
        let models: Vec<_> = self
            .models
            .iter()
            .filter(|(_, sibling)| {
                outage_cause(&sibling.health)
                    .is_some_and(|started| is_within_seconds(started.at, cause.at, MODEL_WINDOW_SECONDS))
            })
            .map(|(model, _)| model.clone())
            .collect();
        (MODELS_PER_OUTAGE <= models.len()).then_some(models)
    }
}

impl ModelHealth {
    /// Records a successful call, which ends the outage of the model. Ignored if the call is older than the latest
    /// attempt.
    fn record_success(&mut self, cause: CauseEvent) {
        if self.health.record_attempt(cause.at) {
            self.health.record_success(cause);
            self.strikes.clear();
        }
    }

    /// Counts a failure of the model, and starts an outage if a trigger applies and no outage is active. Returns the
    /// outage that was replaced if the log has the event of its start but not of its end. Ignores a failure that is
    /// older than the latest attempt.
    fn count_failure(&mut self, model: &ModelId, cause: CauseEvent) -> Option<Outage> {
        if !self.health.record_attempt(cause.at) {
            return None;
        }
        self.health.count_failure(cause.at);
        if self.strikes.len() == FAILURES_PER_OUTAGE {
            self.strikes.remove(0);
        }
        self.strikes.push(cause.at);
        let is_threshold_reached = self.strikes.len() == FAILURES_PER_OUTAGE
            && self.strikes.first().is_some_and(|first| is_within_seconds(*first, cause.at, FAILURE_WINDOW_SECONDS));
        let trigger = if is_threshold_reached {
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

/// Returns whether `later` is at most `seconds` after `earlier`; also `true` if it is before `earlier`.
const fn is_within_seconds(earlier: Timestamp, later: Timestamp, seconds: u64) -> bool {
    later.0 <= earlier.plus_secs(seconds).0
}
