//! The slot `DELEGATE_REQUEST`: the tier of models that a planner, a model that delegates work, requests for a worker
//! (004 §6.9).

use contracts::{Attempt, ChainEntry, ModelSpec, Reason, Slot, Tier, Verdict};

use super::ModelSlots;
use crate::policy::ModelCandidates;

impl ModelSlots<'_> {
    /// Evaluates the slot `DELEGATE_REQUEST`: the first model of the requested tier that can serve the turn, or else of
    /// the next higher tier. The models rejected before it are attempts. Not applicable without a delegation; rejected
    /// if no model of these tiers can serve the turn.
    pub(super) fn evaluate_delegation(&self) -> ChainEntry {
        let slot = Slot::DelegateRequest;
        let Some(delegation) = self.turn.started.delegation else {
            return ChainEntry::not_applicable(slot, Reason::NotDelegation);
        };
        let asked = delegation.tier;
        let mut attempts = Vec::new();
        for given in Tier::ALL.into_iter().filter(|tier| asked <= *tier) {
            for model in self.models_of_tier(given) {
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

    /// Returns a model of a tier for an auxiliary call: one that can serve it, preferably over the API of the request.
    /// `None` if no model can, or if the turn did not arrive over an API.
    fn auxiliary_model(&self, tier: Tier) -> Option<&ModelSpec> {
        let api = self.turn.request?.api;
        let mut accepted = self.policy.registry().models_of_tier(tier);
        accepted.retain(|model| self.rejection(model).is_none());
        accepted.iter().find(|model| model.apis.contains(&api)).or(accepted.first()).copied()
    }

    /// Returns the models of a tier in the order in which they are tried: those of the workspace's `tiers`, else of the
    /// global `tiers`, else one model of the registry (004 §6.10). Empty if no model has the tier.
    pub(super) fn models_of_tier(&self, tier: Tier) -> Vec<&ModelSpec> {
        let configured_tiers = self.scope.and_then(|scope| scope.tiers.as_ref()).or(self.policy.global.tiers.as_ref());
        if let Some(tiers) = configured_tiers {
            return tiers.get(&tier).into_iter().flat_map(ModelCandidates::iter).collect();
        }
        let auxiliary_model = self.auxiliary_call().and_then(|_| self.auxiliary_model(tier));
        auxiliary_model.or_else(|| self.policy.registry().tier(tier)).into_iter().collect()
    }
}
