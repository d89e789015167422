//! The slot `DELEGATE_REQUEST`: the tier that a planner requests for a delegation (004 §6.9).

use contracts::{Attempt, ChainEntry, ModelSpec, Reason, Slot, Tier, Verdict};

use super::ModelSlots;

impl ModelSlots<'_> {
    /// Evaluates the slot: the model of the requested tier, or of the next higher tier with a model that can serve the
    /// turn.
    pub(super) fn delegation(&self) -> ChainEntry {
        let slot = Slot::DelegateRequest;
        let Some(delegation) = self.turn.delegation else {
            return ChainEntry::not_applicable(slot, Reason::NotDelegation);
        };
        let asked = delegation.tier;
        let mut attempts = Vec::new();
        for given in Tier::ALL.into_iter().filter(|tier| asked <= *tier) {
            let Some(model) = self.tier(given) else { continue };
            let Some(failure) = self.rejection(model) else {
                let mut entry = ChainEntry::proposed(slot, model.id.clone(), Reason::Tier { asked, given }, None);
                entry.attempts = attempts;
                return entry;
            };
            attempts.push(Attempt { name: given.name().to_owned(), candidate: model.id.clone(), failure });
        }
        let reason = Reason::TierExhausted { asked };
        let mut entry = match attempts.first() {
            None => ChainEntry::not_applicable(slot, reason),
            Some(first) => ChainEntry::proposed(slot, first.candidate.clone(), reason, Some(first.failure.clone())),
        };
        // A tier without any model is a rejection as well, because no later slot may serve a delegation.
        entry.verdict = Verdict::Rejected;
        entry.attempts = attempts;
        entry
    }

    /// Returns a model of the tier for an auxiliary call: one that can serve it, preferably over the client's API.
    fn auxiliary_model(&self, tier: Tier) -> Option<&ModelSpec> {
        let api = self.turn.request.as_ref()?.api;
        let of_tier = || self.policy.registry().iter().filter(move |model| model.tier == Some(tier));
        let same_api = |model: &&ModelSpec| model.apis.contains(&api);
        let accepted = |model: &&ModelSpec| self.rejection(model).is_none();
        of_tier().filter(same_api).find(accepted).or_else(|| of_tier().find(accepted))
    }

    /// Resolves a tier by the tiers of the workspace, then the global ones, then the registry (004 §6.10).
    fn tier(&self, tier: Tier) -> Option<&ModelSpec> {
        let configured = self.scope.and_then(|scope| scope.tiers.as_ref()).or(self.policy.global.tiers.as_ref());
        match configured {
            Some(tiers) => tiers.get(&tier).map(AsRef::as_ref),
            None if self.auxiliary_call().is_some() => {
                self.auxiliary_model(tier).or_else(|| self.policy.registry().tier(tier))
            }
            None => self.policy.registry().tier(tier),
        }
    }
}
