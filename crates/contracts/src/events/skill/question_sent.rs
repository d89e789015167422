//! The event of a question to a model that is sent while the request of the turn continues.

use serde::{Deserialize, Serialize};

use super::SkillRouted;
use crate::{
    ContentHash, ModelId,
    events::{event, sample},
};

/// Event: a model is asked which skill the message of a turn loads, and the request does not wait for the reply. The
/// `skill.routed` of the turn follows with the reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillQuestionSent {
    /// Hash of the question with its instructions.
    pub question: ContentHash,
    /// The model.
    pub model: ModelId,
    /// The decision that is recorded if turnwise ends before the reply arrives.
    pub unanswered: Box<SkillRouted>,
}

event!(
    SkillQuestionSent,
    "skill.question_sent",
    1,
    Internal,
    "A model is asked which skill the message of a turn loads, while the request continues.",
    SkillQuestionSent {
        question: ContentHash([0x77; 32]),
        model: sample::model(),
        unanswered: Box::new(super::routed::sample_routed()),
    }
);
