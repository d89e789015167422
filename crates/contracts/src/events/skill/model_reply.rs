//! The event of a question to a model which skill fits (000 layer 3).

use serde::{Deserialize, Serialize};

use crate::{
    ContentHash, ModelId, NanoUsd, Score, SessionId, Usage,
    events::{event, sample},
};

/// The reply of a model that was asked which skill fits, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillModelReply {
    /// The model could not be asked, or its reply is not valid.
    Unavailable {
        /// The cause in a few words, such as `timeout`.
        cause: String,
    },
    /// The model named a skill.
    Skill {
        /// The skill.
        skill: String,
        /// Further skills for a combination.
        secondary: Vec<String>,
        /// Confidence of the model.
        confidence: Score,
        /// Reasoning of the model, shortened.
        reasoning: String,
    },
    /// The model replied that the request is ambiguous.
    Ambiguous {
        /// Confidence of the model.
        confidence: Score,
        /// Reasoning of the model, shortened.
        reasoning: String,
    },
}

/// Event: a model was asked which skill fits a message. The next `skill.routed` of the message contains the reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillModelAsked {
    /// Session of the message.
    pub session: SessionId,
    /// Hash of the message.
    pub text: ContentHash,
    /// Hash of the question with its instructions. Questions with equal hashes have the same reply.
    pub question: ContentHash,
    /// The model.
    pub model: ModelId,
    /// The reply.
    pub reply: SkillModelReply,
    /// Whether the reply to an earlier, equal question was used, so that no call was made.
    pub cached: bool,
    /// Tokens that the call used; `None` if there was no call or the provider reported none.
    pub usage: Option<Usage>,
    /// Cost of the call; `None` without `usage`, or if the prices of the model are unknown.
    pub cost: Option<NanoUsd>,
    /// Milliseconds from the question to the reply; 0 for a cached reply.
    pub latency_ms: u64,
}

event!(
    SkillModelAsked,
    "skill.model_asked",
    1,
    Internal,
    "A model was asked which skill fits a message.",
    SkillModelAsked {
        session: sample::session(),
        text: ContentHash([0x55; 32]),
        question: ContentHash([0x77; 32]),
        model: sample::model(),
        reply: SkillModelReply::Skill {
            skill: "nasa-se".to_owned(),
            secondary: vec!["adversary".to_owned()],
            confidence: Score(850_000_000),
            reasoning: "The request asks for requirements.".to_owned(),
        },
        cached: false,
        usage: Some(sample::usage()),
        cost: Some(NanoUsd(1_200_000)),
        latency_ms: 640,
    }
);
