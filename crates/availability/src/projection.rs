//! The projection: folds call outcomes and outage events, and provides the view for decisions.

use std::{borrow::Cow, collections::BTreeMap};

use contracts::{
    ModelId, OutageScope, Provider,
    events::{ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, ProviderRecovered, ProviderUnavailable},
    views::Outages,
};
use event_core::{CodecError, EventId, EventType as _, NewEvent, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    health::Health,
    outage::{Cause, Outage},
    provider::ProviderHealth,
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
    /// The view for decisions.
    outages: Outages,
}

impl Availability {
    /// The unavailable scopes, including those blocked by a probe, with the time of recovery.
    pub const fn outages(&self) -> &Outages {
        &self.outages
    }

    /// Returns the scopes that are unavailable at a time, with the time of recovery: the view for a decision at that time.
    ///
    /// Sessions are imported in any order, so the log may contain outages that started after a turn; they are excluded.
    pub fn outages_at(&self, at: Timestamp) -> Cow<'_, Outages> {
        let provider_until = |name: &Provider| self.provider_health(name)?.unavailable_until(at);
        let model_until = |name: &ModelId| self.model_health(name)?.unavailable_until(at);
        let Outages { models, providers } = &self.outages;
        let all_began = providers.iter().all(|(name, until)| provider_until(name) == Some(*until))
            && models.iter().all(|(name, until)| model_until(name) == Some(*until));
        if all_began {
            return Cow::Borrowed(&self.outages);
        }
        let providers = providers.keys().filter_map(|name| Some((name.clone(), provider_until(name)?)));
        let models = models.keys().filter_map(|name| Some((name.clone(), model_until(name)?)));
        Cow::Owned(Outages { models: models.collect(), providers: providers.collect() })
    }

    fn provider_health(&self, name: &Provider) -> Option<&Health> {
        self.providers.get(name).map(|provider| &provider.health)
    }

    fn model_health(&self, name: &ModelId) -> Option<&Health> {
        self.providers.get(name.provider())?.models.get(name).map(|model| &model.health)
    }

    /// Returns the health of a scope; `None` if it was never called.
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

    /// Records the start of a call.
    fn sent(&mut self, model: &ModelId, call: EventId, at: Timestamp) {
        let Some(health) = self.providers.get_mut(model.provider()) else { return };
        health.sent(model, call, at);
        self.show(model);
    }

    /// Records a successful call, which ends outages of its model and provider.
    fn completed(&mut self, model: &ModelId, cause: Cause) {
        if let Some(known) = self.providers.get_mut(model.provider()) {
            known.answered(model, cause);
        } else if let Some(provider) = provider_of(model) {
            self.providers.entry(provider).or_default().answered(model, cause);
        }
        self.show(model);
    }

    /// Records a failed call. Its error class determines whether it counts as a failure, an attempt or neither.
    fn failed(&mut self, model: &ModelId, class: ErrorClass, cause: Cause) {
        let Some(provider) = provider_of(model) else { return };
        let health = self.providers.entry(provider.clone()).or_default();
        if class.counts_against_provider() {
            self.replaced.extend(health.failed(&provider, model, class, cause));
        } else if class == ErrorClass::Cancelled {
            health.cancelled(model, cause);
        } else {
            health.tried(model, cause);
        }
        self.show(model);
    }

    /// Records that the log has the start event of an outage.
    fn announced(&mut self, event: &Recorded, body: &ProviderUnavailable) {
        if let Some(outage) = self.health_mut(&body.scope).and_then(Health::latest_mut)
            && outage.unavailable_id() == event.event.id
        {
            outage.announced = true;
        }
    }

    /// Records that the log has the end event of an outage. Later failures cannot prolong it.
    fn closed(&mut self, event: &Recorded, body: &ProviderRecovered) {
        self.replaced.retain(|outage| outage.recovered_id() != event.event.id);
        let Some(health) = self.health_mut(&body.scope) else { return };
        if let Some(outage) = health.latest_mut()
            && outage.recovered_id() == event.event.id
        {
            outage.closed = true;
            health.auto_recover(event.event.at);
        }
        match &body.scope {
            OutageScope::ProviderWide(provider) => self.show_provider(provider),
            OutageScope::ModelSpecific(model) => self.show_model(model),
        }
    }

    /// Updates the entries of a model and its provider in the view.
    fn show(&mut self, model: &ModelId) {
        let Some((name, provider)) = self.providers.get_key_value(model.provider()) else { return };
        show(&mut self.outages.providers, name, provider.health.unavailable_until(EVER));
        let model_until = provider.models.get(model).and_then(|model| model.health.unavailable_until(EVER));
        show(&mut self.outages.models, model, model_until);
    }

    fn show_provider(&mut self, provider: &Provider) {
        let until = self.provider_health(provider).and_then(|health| health.unavailable_until(EVER));
        show(&mut self.outages.providers, provider, until);
    }

    fn show_model(&mut self, model: &ModelId) {
        let until = self.model_health(model).and_then(|health| health.unavailable_until(EVER));
        show(&mut self.outages.models, model, until);
    }
}

/// Inserts or removes the entry of a scope in the view.
fn show<K: Ord + Clone>(shown: &mut BTreeMap<K, Timestamp>, name: &K, until: Option<Timestamp>) {
    match until {
        Some(until) => drop(shown.insert(name.clone(), until)),
        None => drop(shown.remove(name)),
    }
}

/// Later than any event.
const EVER: Timestamp = Timestamp(u64::MAX);

/// Parses the provider in a model id; `None` if it is not a valid provider name, which no adapter serves.
fn provider_of(model: &ModelId) -> Option<Provider> {
    Provider::try_from(model.provider()).ok()
}

impl Projection for Availability {
    const NAME: &'static str = "availability";
    const VERSION: u32 = 2;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        let NewEvent { id, at, correlation, causation: call, .. } = event.event;
        let cause = Cause { at, event: id, correlation, call };
        match &*event.event.kind {
            LlmCallStarted::KIND => {
                if let Some(call) = event.view::<LlmCallStarted>()? {
                    self.sent(&call.model, id, at);
                }
            }
            LlmCallCompleted::KIND => {
                if let Some(call) = event.view::<LlmCallCompleted>()? {
                    self.completed(&call.model, cause);
                }
            }
            LlmCallFailed::KIND => {
                if let Some(call) = event.view::<LlmCallFailed>()? {
                    self.failed(&call.model, call.class, cause);
                }
            }
            ProviderUnavailable::KIND => {
                if let Some(body) = event.view::<ProviderUnavailable>()? {
                    self.announced(event, &body);
                }
            }
            ProviderRecovered::KIND => {
                if let Some(body) = event.view::<ProviderRecovered>()? {
                    self.closed(event, &body);
                }
            }
            _ => {}
        }
        Ok(())
    }
}
