//! The event of the model that a skill of a turn asks for.

use serde::{Deserialize, Serialize};

use crate::{
    SessionId, SkillWish, Tier, TurnId,
    events::{event, sample},
};

/// Event: a skill that the message of a turn loads asks for a model or a tier in its metadata. The decision about the model
/// reads it if the policy has `routing.skill_wishes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillWished {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// The first wish of the loaded skills.
    pub wish: SkillWish,
}

event!(
    SkillWished,
    "skill.wished",
    1,
    Internal,
    "A skill that the message of a turn loads asks for a model or a tier.",
    SkillWished {
        turn: sample::turn(),
        session: sample::session(),
        wish: SkillWish { skill: "database".to_owned(), model: None, tier: Some(Tier::Deep) },
    }
);
