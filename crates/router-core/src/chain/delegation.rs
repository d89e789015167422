//! Slot 5: a planner asked for a tier (004 §6.9). The worker itself is not run here.

use contracts::{Attempt, Evaluation, Reason, Slot, Tier};

use super::{Chain, judged, silent};

impl Chain<'_> {
    /// The model of the tier asked for, or of the next tier above it that can take the turn.
    pub(super) fn delegation(&self) -> Evaluation {
        let slot = Slot::DelegateRequest;
        let Some(delegation) = self.turn.delegation else { return silent(slot, Reason::NotDelegation) };
        let asked = delegation.tier;
        let mut attempts = Vec::new();
        for given in Tier::ALL.into_iter().filter(|tier| asked <= *tier) {
            let Some(model) = self.tier(given) else { continue };
            let Some(failure) = self.rejection(model) else {
                let mut entry = judged(slot, model.id.clone(), Reason::Tier { asked, given }, None);
                entry.attempts = attempts;
                return entry;
            };
            attempts.push(Attempt { name: given.name().to_owned(), candidate: model.id.clone(), failure });
        }
        let reason = Reason::TierExhausted { asked };
        let mut entry = match attempts.first() {
            None => silent(slot, reason),
            Some(first) => judged(slot, first.candidate.clone(), reason, Some(first.failure.clone())),
        };
        // A tier without any model is a rejection as well: nothing below may answer for it.
        entry.verdict = contracts::Verdict::Rejected;
        entry.attempts = attempts;
        entry
    }

    /// For work beside the conversation: a model of the tier that can take it, first of those that speak the client's API.
    fn closest_of(&self, tier: Tier) -> Option<&contracts::ModelSpec> {
        let api = self.turn.request.as_ref()?.api;
        let of_tier = || self.policy.registry().iter().filter(move |model| model.tier == Some(tier));
        let speaks = |model: &&contracts::ModelSpec| model.apis.contains(&api);
        let takes = |model: &&contracts::ModelSpec| self.rejection(model).is_none();
        of_tier().filter(speaks).find(takes).or_else(|| of_tier().find(takes))
    }

    /// Workspace, then global, then the registry (004 §6.10).
    fn tier(&self, tier: Tier) -> Option<&contracts::ModelSpec> {
        let configured = self.scope.and_then(|scope| scope.tiers.as_ref()).or(self.policy.global.tiers.as_ref());
        match configured {
            Some(tiers) => tiers.get(&tier).map(AsRef::as_ref),
            None if self.auxiliary().is_some() => self.closest_of(tier).or_else(|| self.policy.registry().tier(tier)),
            None => self.policy.registry().tier(tier),
        }
    }
}
