//! Facts about a skill choice that follow from its chain.

use contracts::{Decision, Score, SkillChoice, SkillReason, SkillSlot};

use crate::settings::ConfidenceSettings;

/// Returns the confidence in a decision: a fixed number for each kind of result, and that of the model for its reply
/// (C-18 in docs/spec). It is never compared with a threshold. 0 if no skill is loaded.
pub fn confidence(decision: &Decision<SkillChoice>, levels: &ConfidenceSettings) -> Score {
    let Some(winner) = decision.winner() else { return Score::ZERO };
    if winner.candidate.as_ref().is_none_or(|outcome| outcome.loaded().is_empty()) {
        return Score::ZERO;
    }
    match &winner.reason {
        SkillReason::Keywords(evidence) => evidence.confidence,
        SkillReason::LlmReply { confidence, .. } => *confidence,
        SkillReason::BestEffort { .. } | SkillReason::DefaultSkill => levels.best_effort,
        SkillReason::Scores(scores) => {
            scores.first().map_or(Score::ZERO, |best| Score::ratio(u64::from(best.total), 100))
        }
        _ => levels.explicit,
    }
}

/// Returns whether the best result of a layer is used although the layer could not decide, because a later layer is
/// unavailable (000 §1.3).
pub fn is_degraded(decision: &Decision<SkillChoice>) -> bool {
    decision.winner().is_some_and(|winner| matches!(winner.reason, SkillReason::BestEffort { .. }))
}

/// Returns the number of the highest layer of 000 §1.2 that was evaluated, from 0 to 3. Layers that are switched off, and
/// the two slots that end the chain, do not count.
pub fn layer_reached(decision: &Decision<SkillChoice>) -> u8 {
    let evaluated = decision.chain.iter().filter(|entry| {
        !matches!(entry.reason, SkillReason::Disabled | SkillReason::LlmNotAsked)
            && !matches!(entry.slot, SkillSlot::Fallback | SkillSlot::Clarify)
    });
    evaluated.map(|entry| entry.slot.layer()).max().unwrap_or(0)
}
