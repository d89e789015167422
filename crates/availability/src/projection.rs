//! The projection: which events it folds, and the view a decision reads.

use std::{borrow::Cow, collections::BTreeMap};

use contracts::{
    ModelId, OutageScope, Provider,
    events::{ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, ProviderRecovered, ProviderUnavailable},
    views::Outages,
};
use event_core::{CodecError, Event as _, EventId, NewEvent, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    health::Health,
    outage::{Cause, Outage},
    provider::ProviderHealth,
};

/// The health of every model and provider that was ever called.
///
/// Every call outcome is an attempt, except a cancellation: the user stopped that call, and whether it would
/// have reached anybody nobody knows. Only failures that say something about the provider count (decision D5);
/// the others keep an outage standing, as any attempt does, and do not interrupt failures in a row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Availability {
    pub(crate) providers: BTreeMap<Provider, ProviderHealth>,
    /// Outages the log told of, replaced by a new one before it told of their end.
    pub(crate) replaced: Vec<Outage>,
    outages: Outages,
}

impl Availability {
    /// Who is out, or kept free for a probe, and until when.
    pub const fn outages(&self) -> &Outages {
        &self.outages
    }

    /// Who is out at a time, and until when: what a decision about a turn of that time reads.
    ///
    /// Sessions are imported in any order, so the log may know of outages that began only after a turn.
    pub fn outages_at(&self, at: Timestamp) -> Cow<'_, Outages> {
        let provider_until = |name: &Provider| self.provider_health(name)?.out_until(at);
        let model_until = |name: &ModelId| self.model_health(name)?.out_until(at);
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

    /// The health of a scope that has been seen.
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

    fn sent(&mut self, model: &ModelId, call: EventId, at: Timestamp) {
        let Some(health) = self.providers.get_mut(model.provider()) else { return };
        health.sent(model, call, at);
        self.show(model);
    }

    fn completed(&mut self, model: &ModelId, cause: Cause) {
        if let Some(known) = self.providers.get_mut(model.provider()) {
            known.answered(model, cause);
        } else if let Some(provider) = provider_of(model) {
            self.providers.entry(provider).or_default().answered(model, cause);
        }
        self.show(model);
    }

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

    /// The log tells that an outage began.
    fn announced(&mut self, event: &Recorded, body: &ProviderUnavailable) {
        if let Some(outage) = self.health_mut(&body.scope).and_then(Health::latest_mut)
            && outage.unavailable_id() == event.event.id
        {
            outage.announced = true;
        }
    }

    /// The log tells that an outage ended: no later failure can prolong it any more.
    fn closed(&mut self, event: &Recorded, body: &ProviderRecovered) {
        self.replaced.retain(|outage| outage.recovered_id() != event.event.id);
        let Some(health) = self.health_mut(&body.scope) else { return };
        if let Some(outage) = health.latest_mut()
            && outage.recovered_id() == event.event.id
        {
            outage.closed = true;
            health.end_quietly(event.event.at);
        }
        match &body.scope {
            OutageScope::ProviderWide(provider) => self.show_provider(provider),
            OutageScope::ModelSpecific(model) => self.show_model(model),
        }
    }

    /// Shows how a model and its provider are.
    fn show(&mut self, model: &ModelId) {
        let Some((name, provider)) = self.providers.get_key_value(model.provider()) else { return };
        show(&mut self.outages.providers, name, provider.health.out_until(EVER));
        let model_until = provider.models.get(model).and_then(|model| model.health.out_until(EVER));
        show(&mut self.outages.models, model, model_until);
    }

    fn show_provider(&mut self, provider: &Provider) {
        let until = self.provider_health(provider).and_then(|health| health.out_until(EVER));
        show(&mut self.outages.providers, provider, until);
    }

    fn show_model(&mut self, model: &ModelId) {
        let until = self.model_health(model).and_then(|health| health.out_until(EVER));
        show(&mut self.outages.models, model, until);
    }
}

/// Shows until when a name is out, if it is.
fn show<K: Ord + Clone>(shown: &mut BTreeMap<K, Timestamp>, name: &K, until: Option<Timestamp>) {
    match until {
        Some(until) => drop(shown.insert(name.clone(), until)),
        None => drop(shown.remove(name)),
    }
}

/// Later than anything in a log.
const EVER: Timestamp = Timestamp(u64::MAX);

/// The provider in a model's name, unless it is longer than a provider's name may be: then no adapter serves it
/// and nothing can be out.
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
