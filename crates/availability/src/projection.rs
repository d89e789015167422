//! [`Availability`], the projection that folds call outcomes and outage events, and the view for decisions.

use std::{borrow::Cow, collections::BTreeMap};

use contracts::{
    ModelId, OutageScope, Provider,
    events::{
        ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, ProviderRecovered, ProviderUnavailable,
        RecoveredBy,
    },
    views::Outages,
};
use event_core::{CodecError, EventId, EventType as _, NewEvent, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    health::Health,
    outage::{Cause, Outage},
    provider::{Error, ProviderHealth},
};

/// The health of every model and provider that was ever called.
///
/// Each outcome of a call is an attempt, except a cancellation: it is unknown whether the cancelled call would have
/// succeeded. Only errors that are evidence about the provider count as failures (decision D5); other errors prolong an
/// outage, as any attempt does, and do not reset consecutive failures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Availability {
    /// Health of each provider and its models.
    pub(crate) providers: BTreeMap<Provider, ProviderHealth>,
    /// Outages with a start event in the log that were replaced by a new one before their end event was recorded.
    pub(crate) replaced: Vec<Outage>,
    /// The view for decisions, updated with every folded event.
    outages: Outages,
}

impl Availability {
    /// Returns the unavailable scopes, including those blocked by a probe, with the time of recovery, whenever their
    /// outages started.
    pub const fn outages(&self) -> &Outages {
        &self.outages
    }

    /// Returns the scopes that are unavailable at a time, with the time of recovery: the view for a decision at that
    /// time.
    ///
    /// Sessions are imported in any order, so the log may contain outages that started after a turn; they are excluded.
    pub fn outages_at(&self, at: Timestamp) -> Cow<'_, Outages> {
        let provider_until = |name: &Provider| self.provider_health(name)?.unavailable_until(at);
        let model_until = |name: &ModelId| self.model_health(name)?.unavailable_until(at);
        let Outages { models, providers, refused_keys } = &self.outages;
        let all_started = providers.iter().all(|(name, until)| provider_until(name) == Some(*until))
            && models.iter().all(|(name, until)| model_until(name) == Some(*until));
        if all_started {
            return Cow::Borrowed(&self.outages);
        }
        let providers: BTreeMap<_, _> =
            providers.keys().filter_map(|name| Some((name.clone(), provider_until(name)?))).collect();
        let refused_keys = refused_keys.iter().filter(|(name, _)| providers.contains_key(*name));
        let refused_keys = refused_keys.map(|(name, variable)| (name.clone(), variable.clone())).collect();
        let models = models.keys().filter_map(|name| Some((name.clone(), model_until(name)?)));
        Cow::Owned(Outages { models: models.collect(), providers, refused_keys })
    }

    /// Returns the health of a provider; `None` if it was never called.
    fn provider_health(&self, name: &Provider) -> Option<&Health> {
        self.providers.get(name).map(|provider| &provider.health)
    }

    /// Returns the health of a model; `None` if it was never called.
    fn model_health(&self, name: &ModelId) -> Option<&Health> {
        self.providers.get(name.provider())?.models.get(name).map(|model| &model.health)
    }

    /// Returns the health of a scope for modification; `None` if it was never called.
    fn health_mut(&mut self, scope: &OutageScope) -> Option<&mut Health> {
        match scope {
            OutageScope::ProviderWide(provider) => {
                self.providers.get_mut(provider).map(|provider| &mut provider.health)
            }
            OutageScope::ModelSpecific(model) => self
                .providers
                .get_mut(model.provider())
                .and_then(|provider| provider.models.get_mut(model))
                .map(|model| &mut model.health),
        }
    }

    /// Folds the start of a call to a model; `call` is the id of its event. Ignored for a provider without an earlier
    /// outcome.
    fn apply_start(&mut self, model: &ModelId, call: EventId, at: Timestamp) {
        let Some(health) = self.providers.get_mut(model.provider()) else { return };
        health.record_start(model, call, at);
        self.update_view(model);
    }

    /// Folds a successful call, which ends outages of its model and provider. Ignored if the model id has no valid
    /// provider name.
    fn apply_success(&mut self, model: &ModelId, cause: Cause) {
        if let Some(health) = self.providers.get_mut(model.provider()) {
            health.record_success(model, cause);
        } else if let Some(provider) = provider_of(model) {
            self.providers.entry(provider).or_default().record_success(model, cause);
        }
        self.update_view(model);
    }

    /// Folds a failed call. Its error class determines whether it counts as a failure, an attempt or neither. Ignored
    /// if the model id has no valid provider name.
    fn apply_failure(&mut self, call: &LlmCallFailed, cause: Cause) {
        let LlmCallFailed { model, class, key, .. } = call;
        let Some(provider) = provider_of(model) else { return };
        let health = self.providers.entry(provider.clone()).or_default();
        if class.counts_against_provider() {
            let error = Error { class: *class, key: key.as_ref() };
            self.replaced.extend(health.record_failure(&provider, model, error, cause));
        } else if *class == ErrorClass::Cancelled {
            health.record_cancellation(model, cause);
        } else {
            health.record_attempt(model, cause);
        }
        self.update_view(model);
    }

    /// Records that the log has the start event of an outage, so that it is not appended again.
    fn mark_announced(&mut self, event: &Recorded, body: &ProviderUnavailable) {
        if let Some(outage) = self.health_mut(&body.scope).and_then(Health::latest_outage_mut)
            && outage.unavailable_id() == event.event.id
        {
            outage.announced = true;
        }
    }

    /// Records that the log has the end event of an outage. Later failures cannot prolong it. This event alone ends an
    /// outage whose key was changed or that the user ended.
    fn mark_closed(&mut self, event: &Recorded, body: &ProviderRecovered) {
        self.replaced.retain(|outage| outage.recovered_id() != event.event.id);
        let Some(health) = self.health_mut(&body.scope) else { return };
        if let Some(outage) = health.latest_outage_mut()
            && outage.recovered_id() == event.event.id
        {
            outage.closed = true;
            if matches!(body.by, RecoveredBy::KeyChanged | RecoveredBy::Retry) {
                self.reset(&body.scope, body.by, event.event.at);
            } else {
                health.auto_recover(event.event.at);
            }
        }
        match &body.scope {
            OutageScope::ProviderWide(provider) => self.update_provider(provider),
            OutageScope::ModelSpecific(model) => self.update_model(model),
        }
    }

    /// Ends the outage of a scope for a reason other than a call.
    fn reset(&mut self, scope: &OutageScope, by: RecoveredBy, at: Timestamp) {
        let provider = match scope {
            OutageScope::ProviderWide(provider) => provider.as_str(),
            OutageScope::ModelSpecific(model) => model.provider(),
        };
        if let Some(provider) = self.providers.get_mut(provider) {
            provider.reset(scope, by, at);
        }
    }

    /// Recomputes the entries of a model and its provider in the view.
    fn update_view(&mut self, model: &ModelId) {
        let Some((name, provider)) = self.providers.get_key_value(model.provider()) else { return };
        set_provider(&mut self.outages, name, &provider.health);
        let model_until = provider.models.get(model).and_then(|model| model.health.unavailable_until(END_OF_TIME));
        set_entry(&mut self.outages.models, model, model_until);
    }

    /// Recomputes the entries of a provider in the view.
    fn update_provider(&mut self, provider: &Provider) {
        if let Some((name, provider)) = self.providers.get_key_value(provider) {
            set_provider(&mut self.outages, name, &provider.health);
        }
    }

    /// Recomputes the entry of a model in the view.
    fn update_model(&mut self, model: &ModelId) {
        let until = self.model_health(model).and_then(|health| health.unavailable_until(END_OF_TIME));
        set_entry(&mut self.outages.models, model, until);
    }
}

/// Sets the entries of a provider in the view: the time until which it is unavailable, and its rejected key. Removes
/// them if it is available.
fn set_provider(outages: &mut Outages, name: &Provider, health: &Health) {
    set_entry(&mut outages.providers, name, health.unavailable_until(END_OF_TIME));
    let key = health.active_outage().and_then(|outage| outage.key.as_ref());
    set_entry(&mut outages.refused_keys, name, key.map(|key| key.variable.clone()));
}

/// Sets the value of a scope; removes the scope if `value` is `None`.
fn set_entry<K: Ord + Clone, V>(entries: &mut BTreeMap<K, V>, scope: &K, value: Option<V>) {
    match value {
        Some(value) => drop(entries.insert(scope.clone(), value)),
        None => drop(entries.remove(scope)),
    }
}

/// A time later than any event, so that a query at this time covers all outages.
const END_OF_TIME: Timestamp = Timestamp(u64::MAX);

/// Parses the provider in a model id; `None` if it is not a valid provider name. No adapter serves such a model.
fn provider_of(model: &ModelId) -> Option<Provider> {
    Provider::try_from(model.provider()).ok()
}

impl Projection for Availability {
    const NAME: &'static str = "availability";
    const VERSION: u32 = 3;

    /// Folds starts and outcomes of calls, and the recorded starts and ends of outages. Other events have no effect.
    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        let NewEvent { id, at, correlation, causation: call, .. } = event.event;
        let cause = Cause { at, event: id, correlation, call };
        match &*event.event.kind {
            LlmCallStarted::KIND => {
                if let Some(call) = event.view::<LlmCallStarted>()? {
                    self.apply_start(&call.model, id, at);
                }
            }
            LlmCallCompleted::KIND => {
                if let Some(call) = event.view::<LlmCallCompleted>()? {
                    self.apply_success(&call.model, cause);
                }
            }
            LlmCallFailed::KIND => {
                if let Some(call) = event.view::<LlmCallFailed>()? {
                    self.apply_failure(&call, cause);
                }
            }
            ProviderUnavailable::KIND => {
                if let Some(body) = event.view::<ProviderUnavailable>()? {
                    self.mark_announced(event, &body);
                }
            }
            ProviderRecovered::KIND => {
                if let Some(body) = event.view::<ProviderRecovered>()? {
                    self.mark_closed(event, &body);
                }
            }
            _ => {}
        }
        Ok(())
    }
}
