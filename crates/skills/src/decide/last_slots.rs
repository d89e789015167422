//! The slots `FALLBACK` and `CLARIFY`, which end every chain (000 §1.3, C-47 in docs/spec).

use contracts::{ChainEntry, SkillChoice, SkillOutcome, SkillReason, SkillSlot};

use super::SkillSlots;

impl SkillSlots<'_> {
    /// Evaluates the slot of the best result so far: that of the keywords if the layers that could decide are
    /// unavailable, or else the default skill of the policy.
    pub(super) fn fallback(&mut self) -> ChainEntry<SkillChoice> {
        let may_ask = self.may_ask();
        let best = self.open.best_effort.take_if(|best| !(best.ask_first && may_ask));
        if self.open.is_llm_unavailable()
            && let Some(best) = best
        {
            let unavailable = self.open.unavailable.clone();
            let reason = SkillReason::BestEffort { layer: best.layer, unavailable };
            return ChainEntry::proposed(SkillSlot::Fallback, best.outcome, reason, None);
        }
        match &self.router.settings().fallback {
            Some(skill) => {
                let (outcome, failure) = (SkillOutcome::load(skill), self.exclusion(skill));
                ChainEntry::proposed(SkillSlot::Fallback, outcome, SkillReason::DefaultSkill, failure)
            }
            None => ChainEntry::not_applicable(SkillSlot::Fallback, SkillReason::NoFallback),
        }
    }

    /// Evaluates the last slot, which always has a result: a question if the request indicates skills and the user can be
    /// asked, else the deferral of a skill whose score is between the thresholds, and otherwise no skill.
    pub(super) fn clarify(&mut self) -> ChainEntry<SkillChoice> {
        let (interactive, asked_before) = (self.request.interactive, self.request.asked_before);
        let may_ask = self.may_ask();
        let skills = std::mem::take(&mut self.open.skills);
        if skills.is_empty() {
            return ChainEntry::proposed(SkillSlot::Clarify, SkillOutcome::None, SkillReason::NoEvidence, None);
        }
        let outcome = match self.open.deferrable.take() {
            _ if may_ask => SkillOutcome::Ask { skills },
            Some(skill) => SkillOutcome::Defer { skill },
            None => SkillOutcome::None,
        };
        let layers = self.open.undecided.clone();
        let reason = SkillReason::Unresolved { layers, interactive, asked_before };
        ChainEntry::proposed(SkillSlot::Clarify, outcome, reason, None)
    }
}
