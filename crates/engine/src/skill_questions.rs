//! [`SkillQuestions`], the projection of the replies of the model that was asked which skill fits, and of the questions
//! without a reply.

use contracts::{
    BoundedMap, ContentHash, Event, ModelId, TurnId, event_subset,
    events::{SkillModelReply, SkillQuestionSent, SkillRouted},
};
use event_core::{Projection, Recorded};
use serde::{Deserialize, Serialize};

/// The maximum number of replies. A reply takes up to about 1 kB.
const MAX_REPLIES: usize = 1_000;
/// The maximum number of questions without a reply.
const MAX_OPEN: usize = 1_024;

/// The latest replies by question and model, and the questions whose decision is not recorded.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillQuestions {
    /// The valid replies, at most [`MAX_REPLIES`].
    replies: BoundedMap<(ContentHash, ModelId), SkillModelReply>,
    /// The decisions of turns that wait for a reply, at most [`MAX_OPEN`], each with the question and the model.
    open: BoundedMap<TurnId, SkillQuestionSent>,
}

impl SkillQuestions {
    /// Returns the reply of a model to an equal question; `None` if there is none.
    pub fn reply(&self, question: ContentHash, model: &ModelId) -> Option<&SkillModelReply> {
        self.replies.get(&(question, model.clone()))
    }

    /// Returns the questions whose decision is not recorded, oldest first.
    pub fn open(&self) -> impl Iterator<Item = &SkillQuestionSent> {
        self.open.values()
    }
}

event_subset! {
    /// The events about questions to a model, and the decisions that follow.
    #[expect(clippy::enum_variant_names, reason = "the names are those of the events")]
    pub enum SkillQuestionEvent { SkillModelAsked, SkillQuestionSent, SkillRouted }
}

impl Projection for SkillQuestions {
    const NAME: &'static str = "skill questions";
    const VERSION: u32 = 1;
    type Events = Event;
    type Folded<'a> = SkillQuestionEvent<'a>;

    fn apply(&mut self, event: SkillQuestionEvent<'_>, _recorded: &Recorded) {
        match event {
            SkillQuestionEvent::SkillModelAsked(body) => {
                let is_reply = !matches!(body.reply, SkillModelReply::Unavailable { .. });
                if is_reply && !body.cached {
                    self.replies.insert((body.question, body.model.clone()), body.reply.clone(), MAX_REPLIES);
                }
            }
            SkillQuestionEvent::SkillQuestionSent(body) => {
                if let Some(turn) = body.unanswered.turn {
                    self.open.insert(turn, body.clone(), MAX_OPEN);
                }
            }
            SkillQuestionEvent::SkillRouted(SkillRouted { turn: Some(turn), .. }) => {
                self.open.remove(turn);
            }
            SkillQuestionEvent::SkillRouted(_) => {}
        }
    }
}
