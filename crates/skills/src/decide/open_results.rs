//! The results of layers that could not decide.

use contracts::{ChainEntry, SkillChoice, SkillOutcome, SkillReason, SkillSlot, Verdict};

/// The results of layers that could not decide, for the later slots of the chain.
#[derive(Debug, Default)]
pub(super) struct OpenResults {
    /// The layers with a result that they could not decide, in their order.
    pub(super) undecided: Vec<SkillSlot>,
    /// The skills that these layers found, the most likely one first, each once.
    pub(super) skills: Vec<String>,
    /// The best result of the keyword layer, if it has one that can be used although the layer could not decide.
    pub(super) best_effort: Option<BestEffort>,
    /// The layers behind the keywords that are switched off or unavailable.
    pub(super) unavailable: Vec<SkillSlot>,
    /// The best skill of the scores, if it is between the two thresholds.
    pub(super) deferrable: Option<String>,
}

/// The best result of a layer that could not decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BestEffort {
    /// The layer.
    pub(super) layer: SkillSlot,
    /// The result.
    pub(super) outcome: SkillOutcome,
    /// Whether the user is asked in preference to the use of this result.
    pub(super) ask_first: bool,
}

impl OpenResults {
    /// Adds the entry of a layer.
    pub(super) fn add(&mut self, entry: &ChainEntry<SkillChoice>) {
        let can_decide_ties = matches!(entry.slot, SkillSlot::Tree | SkillSlot::Llm);
        let is_unavailable = matches!(
            entry.reason,
            SkillReason::Disabled | SkillReason::LlmUnavailable { .. } | SkillReason::LlmNotAsked
        );
        if can_decide_ties && is_unavailable {
            self.unavailable.push(entry.slot);
        }
        // A rejected request for no skill is not a result of a layer.
        if entry.verdict == Verdict::Rejected && entry.slot != SkillSlot::NoSkill {
            self.add_undecided(entry.slot, entry.candidate.iter().flat_map(SkillOutcome::skills));
        }
    }

    /// Adds the skills that a layer found without a decision.
    pub(super) fn add_undecided<'a>(&mut self, layer: SkillSlot, skills: impl Iterator<Item = &'a String>) {
        if !self.undecided.contains(&layer) {
            self.undecided.push(layer);
        }
        for skill in skills {
            if !self.skills.contains(skill) {
                self.skills.push(skill.clone());
            }
        }
    }

    /// Returns whether the last layer that could decide, the question to a model, is switched off or unavailable.
    pub(super) fn is_llm_unavailable(&self) -> bool {
        self.unavailable.contains(&SkillSlot::Llm)
    }
}
