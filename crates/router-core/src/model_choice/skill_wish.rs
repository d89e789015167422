//! The slot `SKILL_WISH`: the model or the tier that a skill of the message asks for in its metadata.

use contracts::{ChainEntry, Reason, SkillWish, Slot};

use super::ModelSlots;

impl ModelSlots<'_> {
    /// Evaluates the slot `SKILL_WISH`: the model that the skill names, or else the first model of its tier that can serve the
    /// turn. Not applicable without a wish, in an auxiliary call, and if no model has the name or the tier.
    pub(super) fn evaluate_skill_wish(&self) -> ChainEntry {
        let slot = Slot::SkillWish;
        let Some(SkillWish { skill, model, tier }) = self.turn.wish.filter(|_| self.auxiliary_call().is_none()) else {
            return ChainEntry::not_applicable(slot, Reason::NoSkillWish);
        };
        let unknown = |wish: &str| Reason::UnknownSkillWish { skill: skill.clone(), wish: wish.to_owned() };
        let reason = Reason::SkillWish { skill: skill.clone() };
        if let Some(name) = model {
            return match self.policy.registry().named(name) {
                Some(model) => self.entry_for_id(slot, &model.id, reason),
                None => ChainEntry::not_applicable(slot, unknown(name)),
            };
        }
        let Some(tier) = *tier else { return ChainEntry::not_applicable(slot, Reason::NoSkillWish) };
        let models = self.models_of_tier(tier);
        let Some(first) = models.first() else { return ChainEntry::not_applicable(slot, unknown(tier.name())) };
        let (chosen, attempts) = self.try_models(tier.name(), models.iter().copied());
        if let Some(model) = chosen {
            return ChainEntry { attempts, ..ChainEntry::proposed(slot, model.id.clone(), reason, None) };
        }
        let failure = attempts.first().map(|attempt| attempt.failure.clone());
        ChainEntry { attempts, ..ChainEntry::proposed(slot, first.id.clone(), reason, failure) }
    }
}
