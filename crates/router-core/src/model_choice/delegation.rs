//! The slot `DELEGATE_REQUEST`: the tier that a planner requests for a delegation (004 §6.9).

use contracts::{Attempt, ChainEntry, ModelSpec, Reason, Slot, Tier, Verdict};

use super::ModelSlots;
use crate::policy::Candidates;

impl ModelSlots<'_> {
    /// Evaluates the slot: the first model of the requested tier, or of the next higher tier with a model, that can
    /// serve the turn. The models rejected before it are attempts. Not applicable without a delegation; rejected if no
    /// model of these tiers can serve the turn.
    pub(super) fn delegation(&self) -> ChainEntry {
        let slot = Slot::DelegateRequest;
        let Some(delegation) = self.turn.delegation else {
            return ChainEntry::not_applicable(slot, Reason::NotDelegation);
        };
        let asked = delegation.tier;
        let mut attempts = Vec::new();
        for given in Tier::ALL.into_iter().filter(|tier| asked <= *tier) {
            for model in self.tier(given) {
                let Some(failure) = self.rejection(model) else {
                    let mut entry = ChainEntry::proposed(slot, model.id.clone(), Reason::Tier { asked, given }, None);
                    entry.attempts = attempts;
                    return entry;
                };
                attempts.push(Attempt { name: given.name().to_owned(), candidate: model.id.clone(), failure });
            }
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
    /// `None` if none can, or if the turn did not arrive over an API.
    fn auxiliary_model(&self, tier: Tier) -> Option<&ModelSpec> {
        let api = self.turn.request.as_ref()?.api;
        let mut accepted = self.policy.registry().models_of_tier(tier);
        accepted.retain(|model| self.rejection(model).is_none());
        accepted.iter().find(|model| model.apis.contains(&api)).or(accepted.first()).copied()
    }

    /// Returns the models of a tier in the order in which they are tried: from `tiers` of the workspace, else from the
    /// global `tiers`, else one model of the registry (004 §6.10). Empty if no model has the tier.
    fn tier(&self, tier: Tier) -> Vec<&ModelSpec> {
        let configured = self.scope.and_then(|scope| scope.tiers.as_ref()).or(self.policy.global.tiers.as_ref());
        if let Some(tiers) = configured {
            return tiers.get(&tier).into_iter().flat_map(Candidates::iter).collect();
        }
        let auxiliary = self.auxiliary_call().and_then(|_| self.auxiliary_model(tier));
        auxiliary.or_else(|| self.policy.registry().tier(tier)).into_iter().collect()
    }
}
