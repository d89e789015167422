//! The projection: which facts it folds, and the view a decision reads.

use std::{borrow::Cow, collections::BTreeMap};

use contracts::{
    ModelId, OutageScope, Provider,
    facts::{ErrorClass, LlmCallCompleted, LlmCallFailed, ProviderRecovered, ProviderUnavailable},
    views::Outages,
};
use event_core::{CodecError, Projection, Recorded, Timestamp};
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
    /// Who is out, and until when.
    pub const fn outages(&self) -> &Outages {
        &self.outages
    }

    /// Who is out at a time, and until when: what a decision about a turn of that time reads.
    ///
    /// Sessions are imported in any order, so the log may know of outages that began only after a turn.
    pub fn outages_at(&self, at: Timestamp) -> Cow<'_, Outages> {
        let began =
            |health: Option<&Health>| health.and_then(Health::standing).is_some_and(|outage| outage.cause.at <= at);
        let provider_began = |name: &Provider| began(self.providers.get(name).map(|provider| &provider.health));
        let model_began = |name: &ModelId| {
            let provider = self.providers.get(name.provider());
            began(provider.and_then(|provider| provider.models.get(name)).map(|model| &model.health))
        };
        if self.outages.providers.keys().all(provider_began) && self.outages.models.keys().all(model_began) {
            return Cow::Borrowed(&self.outages);
        }
        let mut outages = self.outages.clone();
        outages.providers.retain(|name, _| provider_began(name));
        outages.models.retain(|name, _| model_began(name));
        Cow::Owned(outages)
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

    fn completed(&mut self, model: &ModelId, cause: Cause) {
        let Some(provider) = provider_of(model) else { return };
        self.providers.entry(provider.clone()).or_default().answered(model, cause);
        self.show(&provider, model);
    }

    fn failed(&mut self, model: &ModelId, class: ErrorClass, cause: Cause) {
        let Some(provider) = provider_of(model) else { return };
        let health = self.providers.entry(provider.clone()).or_default();
        if class.counts_against_provider() {
            self.replaced.extend(health.failed(&provider, model, class, cause));
        } else if class != ErrorClass::Cancelled {
            health.tried(model, cause.at);
        }
        self.show(&provider, model);
    }

    /// The log tells that an outage began.
    fn announced(&mut self, event: &Recorded, fact: &ProviderUnavailable) {
        if let Some(outage) = self.health_mut(&fact.scope).and_then(Health::latest_mut)
            && outage.unavailable_id() == event.event.id
        {
            outage.announced = true;
        }
    }

    /// The log tells that an outage ended: no later failure can prolong it any more.
    fn closed(&mut self, event: &Recorded, fact: &ProviderRecovered) {
        self.replaced.retain(|outage| outage.recovered_id() != event.event.id);
        let Some(health) = self.health_mut(&fact.scope) else { return };
        if let Some(outage) = health.latest_mut()
            && outage.recovered_id() == event.event.id
        {
            outage.closed = true;
            health.end_quietly(event.event.at);
        }
        match &fact.scope {
            OutageScope::ProviderWide(provider) => self.show_provider(provider),
            OutageScope::ModelSpecific(model) => self.show_model(model),
        }
    }

    fn show(&mut self, provider: &Provider, model: &ModelId) {
        self.show_provider(provider);
        self.show_model(model);
    }

    fn show_provider(&mut self, provider: &Provider) {
        let health = self.providers.get(provider).map(|provider| &provider.health);
        match health.filter(|health| health.standing().is_some()) {
            Some(health) => drop(self.outages.providers.insert(provider.clone(), health.quiet_from())),
            None => drop(self.outages.providers.remove(provider)),
        }
    }

    fn show_model(&mut self, model: &ModelId) {
        let provider = self.providers.get(model.provider());
        let health = provider.and_then(|provider| provider.models.get(model)).map(|model| &model.health);
        match health.filter(|health| health.standing().is_some()) {
            Some(health) => drop(self.outages.models.insert(model.clone(), health.quiet_from())),
            None => drop(self.outages.models.remove(model)),
        }
    }
}

/// The provider in a model's name, unless it is longer than a provider's name may be: then no adapter serves it
/// and nothing can be out.
fn provider_of(model: &ModelId) -> Option<Provider> {
    Provider::try_from(model.provider()).ok()
}

impl Projection for Availability {
    const NAME: &'static str = "availability";
    const VERSION: u32 = 1;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        let cause = Cause { at: event.event.at, fact: event.event.id, correlation: event.event.correlation };
        if let Some(call) = event.read::<LlmCallCompleted>()? {
            self.completed(&call.model, cause);
        } else if let Some(call) = event.read::<LlmCallFailed>()? {
            self.failed(&call.model, call.class, cause);
        } else if let Some(fact) = event.read::<ProviderUnavailable>()? {
            self.announced(event, &fact);
        } else if let Some(fact) = event.read::<ProviderRecovered>()? {
            self.closed(event, &fact);
        }
        Ok(())
    }
}
