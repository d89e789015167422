//! [`Availability`], the projection of the health of models and providers, and its view for decisions.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use contracts::{
    Event, ModelId, OutageScope, Provider, event_subset,
    events::{ErrorClass, LlmCallFailed, ProviderRecovered, ProviderUnavailable, RecoveredBy},
    views::Outages,
};
use event_core::{EventId, NewEvent, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    health::Health,
    outage::{CauseEvent, Outage},
    provider::{ProviderError, ProviderHealth},
};

/// The projection of the health of every model and provider that was ever called.
///
/// Each outcome of a call is an attempt, except a cancellation: it is unknown whether the cancelled call would have
/// succeeded. Only errors that are evidence about the provider count as failures (decision D5); other errors prolong an
/// outage, as any attempt does, and do not reset consecutive failures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Availability {
    /// Health of each provider and its models.
    pub(crate) providers: BTreeMap<Provider, ProviderHealth>,
    /// Outages that a new outage replaced between the events of their start and their end: the log has the first event
    /// but not the second.
    pub(crate) replaced_outages: Vec<Outage>,
    /// The view for decisions, updated with every folded event.
    outages: Outages,
    /// The providers to which the gateway has sent a call. Imported calls have no event of their start.
    pub(crate) called_providers: BTreeSet<Provider>,
}

impl Availability {
    /// Returns the unavailable scopes, including those blocked by a probe, with the time of recovery, whenever their
    /// outages started.
    pub const fn outages(&self) -> &Outages {
        &self.outages
    }

    /// Returns the models and providers that are unavailable at the time `at`, each with its time of recovery: the view
    /// for a decision at that time.
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

    /// Returns the health of a model or provider for modification; `None` if it was never called.
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

    /// Folds `llm.call_started`: records the start of a call to `model`, which may become a probe. `call` is the id of
    /// the event. Ignored if no earlier call to the provider has an outcome.
    fn apply_start(&mut self, model: &ModelId, call: EventId, at: Timestamp) {
        if !self.called_providers.contains(model.provider())
            && let Some(provider) = provider_of_model(model)
        {
            self.called_providers.insert(provider);
        }
        let Some(health) = self.providers.get_mut(model.provider()) else { return };
        health.record_start(model, call, at);
        self.update_view(model);
    }

    /// Folds `llm.call_completed`: records a successful call, which ends the outages of its model and its provider.
    /// Ignored if the model id has no valid provider name.
    fn apply_success(&mut self, model: &ModelId, cause: CauseEvent) {
        if let Some(health) = self.providers.get_mut(model.provider()) {
            health.record_success(model, cause);
        } else if let Some(provider) = provider_of_model(model) {
            self.providers.entry(provider).or_default().record_success(model, cause);
        }
        self.update_view(model);
    }

    /// Folds `llm.call_failed`. The class of the error determines whether the call counts as a failure, only as an
    /// attempt, or not at all. Ignored if the model id has no valid provider name.
    fn apply_failure(&mut self, call: &LlmCallFailed, cause: CauseEvent) {
        let LlmCallFailed { model, class, key, .. } = call;
        let Some(provider) = provider_of_model(model) else { return };
        let health = self.providers.entry(provider.clone()).or_default();
        if class.counts_against_provider() {
            let error = ProviderError { class: *class, key: key.as_ref() };
            self.replaced_outages.extend(health.record_failure(&provider, model, error, cause));
        } else if *class == ErrorClass::Cancelled {
            health.record_cancellation(model, cause);
        } else {
            health.record_attempt(model, cause);
        }
        self.update_view(model);
    }

    /// Folds `provider.unavailable`: records that the log has the start of an outage, so that it is not appended again.
    fn mark_start_recorded(&mut self, event: &Recorded, body: &ProviderUnavailable) {
        if let Some(outage) = self.health_mut(&body.scope).and_then(Health::latest_outage_mut)
            && outage.unavailable_id() == event.event.id
        {
            outage.is_start_recorded = true;
        }
    }

    /// Folds `provider.recovered`: records that the log has the end of an outage, and ends the outage, so that later
    /// failures cannot prolong it. An outage whose key was changed, or that the user ended, is ended by this event
    /// alone.
    fn mark_end_recorded(&mut self, event: &Recorded, body: &ProviderRecovered) {
        self.replaced_outages.retain(|outage| outage.recovered_id() != event.event.id);
        let Some(health) = self.health_mut(&body.scope) else { return };
        if let Some(outage) = health.latest_outage_mut()
            && outage.recovered_id() == event.event.id
        {
            outage.is_end_recorded = true;
            if matches!(body.by, RecoveredBy::KeyChanged | RecoveredBy::Retry) {
                self.end_outage(&body.scope, body.by, event.event.at);
            } else {
                health.auto_recover(event.event.at);
            }
        }
        match &body.scope {
            OutageScope::ProviderWide(provider) => self.update_provider(provider),
            OutageScope::ModelSpecific(model) => self.update_model(model),
        }
    }

    /// Ends the outage of a model or provider at the time `at`, for a reason `by` other than a call.
    fn end_outage(&mut self, scope: &OutageScope, by: RecoveredBy, at: Timestamp) {
        let provider = match scope {
            OutageScope::ProviderWide(provider) => provider.as_str(),
            OutageScope::ModelSpecific(model) => model.provider(),
        };
        if let Some(provider) = self.providers.get_mut(provider) {
            provider.end_outage(scope, by, at);
        }
    }

    /// Recomputes the entries of a model and of its provider in the view for decisions.
    fn update_view(&mut self, model: &ModelId) {
        let Some((name, provider)) = self.providers.get_key_value(model.provider()) else { return };
        set_provider_outage(&mut self.outages, name, &provider.health);
        let model_until = provider.models.get(model).and_then(|model| model.health.unavailable_until(END_OF_TIME));
        set_entry(&mut self.outages.models, model, model_until);
    }

    /// Recomputes the entries of a provider in the view for decisions.
    fn update_provider(&mut self, provider: &Provider) {
        if let Some((name, provider)) = self.providers.get_key_value(provider) {
            set_provider_outage(&mut self.outages, name, &provider.health);
        }
    }

    /// Recomputes the entry of a model in the view for decisions.
    fn update_model(&mut self, model: &ModelId) {
        let until = self.model_health(model).and_then(|health| health.unavailable_until(END_OF_TIME));
        set_entry(&mut self.outages.models, model, until);
    }
}

/// Sets the entries of a provider in `outages`: the time until which it is unavailable, and its rejected key. Removes
/// the entries if it is available.
fn set_provider_outage(outages: &mut Outages, name: &Provider, health: &Health) {
    set_entry(&mut outages.providers, name, health.unavailable_until(END_OF_TIME));
    let key = health.active_outage().and_then(|outage| outage.key.as_ref());
    set_entry(&mut outages.refused_keys, name, key.map(|key| key.variable.clone()));
}

/// Sets the value of a model or provider in a map; removes its entry if `value` is `None`.
fn set_entry<K: Ord + Clone, V>(entries: &mut BTreeMap<K, V>, scope: &K, value: Option<V>) {
    match value {
        Some(value) => drop(entries.insert(scope.clone(), value)),
        None => drop(entries.remove(scope)),
    }
}

/// A time later than any event, so that a query at this time covers all outages.
const END_OF_TIME: Timestamp = Timestamp(u64::MAX);

/// Parses the provider name in a model id; `None` if it is not valid. No adapter serves such a model.
fn provider_of_model(model: &ModelId) -> Option<Provider> {
    Provider::try_from(model.provider()).ok()
}

event_subset! {
    /// The events that the health of models and providers is computed from.
    pub enum HealthEvent { LlmCallCompleted, LlmCallFailed, LlmCallStarted, ProviderRecovered, ProviderUnavailable }
}

impl Projection for Availability {
    const NAME: &'static str = "availability";
    const VERSION: u32 = 4;
    type Events = Event;
    type Folded<'a> = HealthEvent<'a>;

    /// Folds the starts and outcomes of calls, and the recorded starts and ends of outages. Other events have no
    /// effect.
    fn apply(&mut self, event: HealthEvent<'_>, recorded: &Recorded) {
        let NewEvent { id, at, correlation, causation: call, .. } = recorded.event;
        let cause = CauseEvent { at, event: id, correlation, call };
        match event {
            HealthEvent::LlmCallStarted(call) => self.apply_start(&call.model, id, at),
            HealthEvent::LlmCallCompleted(call) => self.apply_success(&call.model, cause),
            HealthEvent::LlmCallFailed(call) => self.apply_failure(call, cause),
            HealthEvent::ProviderUnavailable(body) => self.mark_start_recorded(recorded, body),
            HealthEvent::ProviderRecovered(body) => self.mark_end_recorded(recorded, body),
        }
    }
}
