//! The slot `LLM` (000 layer 3): the reply of a model that was asked which skill fits.

use contracts::{ChainEntry, SkillChoice, SkillFailure, SkillOutcome, SkillReason, SkillSlot};

use super::SkillSlots;
use crate::request::LlmAnswer;

/// The length in bytes to which the reasoning of a model is shortened, at a character boundary.
const MAX_REASONING_BYTES: usize = 500;

impl SkillSlots<'_> {
    /// Evaluates the slot of the reply of a model.
    pub(super) fn llm(&self) -> ChainEntry<SkillChoice> {
        let reply = |confidence, reasoning: &str| SkillReason::LlmReply {
            confidence,
            reasoning: reasoning[..reasoning.floor_char_boundary(MAX_REASONING_BYTES)].to_owned(),
        };
        match self.request.llm {
            LlmAnswer::NotAsked => ChainEntry::not_applicable(SkillSlot::Llm, SkillReason::LlmNotAsked),
            LlmAnswer::Unavailable(cause) => {
                ChainEntry::not_applicable(SkillSlot::Llm, SkillReason::LlmUnavailable { cause: cause.to_owned() })
            }
            LlmAnswer::Skill { name, secondary, confidence, reasoning } => {
                let threshold = self.router.settings().llm.min_confidence;
                let failure = match self.router.resolve(name) {
                    None => Some(SkillFailure::UnknownSkill),
                    Some(_) if confidence < threshold => Some(SkillFailure::LowConfidence { confidence, threshold }),
                    Some(skill) => self.exclusion(skill),
                };
                let mut skills = vec![self.router.resolve(name).unwrap_or(name).to_owned()];
                for other in secondary.iter().filter_map(|other| self.router.resolve(other)) {
                    let is_usable = !skills.iter().any(|known| known == other) && self.exclusion(other).is_none();
                    if is_usable && skills.len() < self.router.settings().combine.max {
                        skills.push(other.to_owned());
                    }
                }
                let outcome = SkillOutcome::Load { skills, coordinated: false };
                ChainEntry::proposed(SkillSlot::Llm, outcome, reply(confidence, reasoning), failure)
            }
            LlmAnswer::Ambiguous { confidence, reasoning } => {
                let outcome = SkillOutcome::Ask { skills: self.open.skills.clone() };
                let failure = Some(SkillFailure::CalledAmbiguous);
                ChainEntry::proposed(SkillSlot::Llm, outcome, reply(confidence, reasoning), failure)
            }
        }
    }
}
