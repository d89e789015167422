//! The skill decision of a turn, and the skills that the agent loaded.

use contracts::{
    SkillOutcome, TurnId,
    events::{SkillLoaded, SkillRouted},
};
use engine::{EngineError, find_skill_decision};
use event_bus::EventLog;
use router_core::{chain_json, why};
use serde_json::{Value, json};

use super::why::skipped_slots;

/// Returns the skill decision of a turn as JSON, and the skills that the agent `loaded`. Null if the turn has no skill decision, as
/// auxiliary calls have none.
///
/// # Errors
/// [`EngineError::Log`] if the log cannot be read.
pub(super) fn skills_view(log: &dyn EventLog, turn: TurnId, loaded: &[SkillLoaded]) -> Result<Value, EngineError> {
    let Some(routed) = find_skill_decision(log, turn)? else { return Ok(Value::Null) };
    let mut view = decision_json(&routed);
    let loaded: Vec<_> = loaded.iter().map(|loaded| json!({ "skill": loaded.skill, "call": loaded.call })).collect();
    view["loaded"] = loaded.into();
    Ok(view)
}

/// Returns a skill decision as JSON: outcome, skills, method, mode, why-view and chain.
pub(crate) fn decision_json(routed: &SkillRouted) -> Value {
    let outcome = routed.decision.chosen.as_ref();
    json!({
        "outcome": outcome.map(SkillOutcome::name),
        "skills": outcome.map(SkillOutcome::skills),
        "method": routed.decision.winner().map(|winner| winner.slot.method()),
        "mode": routed.mode,
        "known": routed.sources.is_some(),
        "why": why(None, &routed.decision),
        "chain": chain_json(&routed.decision),
        "skipped": skipped_slots(&routed.decision),
        "omitted": routed.omitted,
        "index_hash": routed.sources.map(|hash| hash.to_string()),
    })
}
