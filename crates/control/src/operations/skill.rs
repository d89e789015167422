//! The operation for the user's correction of a skill decision.

use contracts::events::SkillCorrected;
use engine::Engine;
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::{error::ControlError, operation::Operation};

/// The request to record which skill a decision should have loaded. The last correction of a decision applies.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorrectSkill {
    /// Id of the `skill.routed` event.
    pub decision: EventId,
    /// The skill that would have been right; `None` if no skill should have been loaded.
    pub skill: Option<String>,
}

impl Operation for CorrectSkill {
    type Response = SkillCorrected;

    fn execute(self, engine: &mut Engine) -> Result<SkillCorrected, ControlError> {
        Ok(engine.correct_skill(self.decision, self.skill)?)
    }
}
