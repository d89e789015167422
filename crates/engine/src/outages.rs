//! Ends outages for a reason other than a call: the user's request, or a changed key (decision D37).

use std::collections::BTreeMap;

use contracts::{KeyHash, OutageScope, Provider, events::RecoveredBy};

use crate::{engine::Engine, error::EngineError};

impl Engine {
    /// Records the end of the outages of a provider and of its models, so that the next turn can call them. Returns the
    /// scopes (provider or model) of these outages; empty if there are none. The events are durable after
    /// [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn retry_provider(&mut self, provider: &Provider) -> Result<Vec<OutageScope>, EngineError> {
        self.end_outages(provider, RecoveredBy::Retry)
    }

    /// Records the end of the outages of providers whose key has changed. A provider is affected if it rejected a key
    /// other than its present one in `keys`, or has no key there. The events are durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn end_outages_of_changed_keys(&mut self, keys: &BTreeMap<Provider, KeyHash>) -> Result<(), EngineError> {
        let refused = self.state().availability.refused_keys();
        let changed = refused.filter(|(provider, key)| keys.get(*provider) != Some(&key.hash));
        for provider in changed.map(|(provider, _)| provider.clone()).collect::<Vec<_>>() {
            self.end_outages(&provider, RecoveredBy::KeyChanged)?;
        }
        Ok(())
    }

    /// Returns whether an outage has started or ended by the present time without a recorded event, so that
    /// [`Engine::record_consequences`] would record one.
    pub fn has_due_transitions(&self) -> bool {
        !self.state().availability.transitions(self.now()).is_empty()
    }

    /// Records the end of the active outages of a provider and of its models, with `by` as the reason, and returns
    /// their scopes.
    ///
    /// # Errors
    /// [`EngineError`] if an event cannot be encoded or appended to the log.
    fn end_outages(&mut self, provider: &Provider, by: RecoveredBy) -> Result<Vec<OutageScope>, EngineError> {
        // Only outages whose start is in the log have an end in it.
        self.record_consequences()?;
        let ends = self.state().availability.recovery_transitions(provider, by, self.now());
        let scopes = ends.iter().map(|end| end.event.scope().clone()).collect();
        self.recorder.record(ends.iter().map(availability::Transition::seal).collect::<Result<Vec<_>, _>>()?)?;
        Ok(scopes)
    }
}
