//! Records the replies of the model that was asked which skill a message loads, and the decisions that follow from them.

use std::sync::Arc;

use contracts::{
    Sealed, Usage,
    events::{SkillInputs, SkillModelAsked, SkillModelReply, SkillQuestionSent, SkillRouted},
};
use event_core::{EventId, EventType as _};
use skills::{LlmReply, LlmReplyError, parse_reply};

use super::{
    decide::SkillDecision,
    question::{PendingDecision, SkillAnswer, SkillQuestion, place},
    record::following_events,
};
use crate::{capture::TextRecording, engine::Engine, error::EngineError};

/// The maximum length of the name of a skill in a reply, in bytes.
const MAX_NAME_BYTES: usize = 128;
/// The maximum number of further skills of a reply that are recorded.
const MAX_SECONDARY: usize = 2;
/// The maximum length of the reasoning and of a cause in an event, in bytes.
const MAX_TEXT_BYTES: usize = 240;
/// The reasoning of a reply where the policy forbids that texts are recorded: a model may repeat the message.
const REASONING_WITHHELD: &str = "not recorded (privacy.record_text)";

/// The result of sending a question to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillCallResult {
    /// The text of the response, or the cause why there is none in a few words, such as `timeout`.
    pub text: Result<String, String>,
    /// The tokens that the provider reported; `None` if it reported none.
    pub usage: Option<Usage>,
    /// The duration of the call in milliseconds.
    pub latency_ms: u64,
}

impl Engine {
    /// Records the reply to a question, and the decision of the turn that waits for it, if there is one. Releases the reserved
    /// cost. The events are durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read or written.
    pub fn record_skill_reply(
        &mut self,
        question: SkillQuestion,
        result: &SkillCallResult,
    ) -> Result<SkillAnswer, EngineError> {
        self.skill_routing.questions.release(question.number);
        self.load_session(&question.session)?;
        let withholds = self.text_recording() == TextRecording::FeaturesOnly;
        let reply = recorded_reply(&result.text, withholds);
        let asked = SkillModelAsked {
            session: question.session.clone(),
            text: question.message,
            question: question.hash,
            model: question.model.id.clone(),
            reply: reply.clone(),
            cached: false,
            usage: result.usage,
            cost: result.usage.and_then(|usage| Some(question.model.prices?.cost(&usage))),
            latency_ms: result.latency_ms,
        };
        let at = self.now();
        let correlation = match &question.pending {
            Some(PendingDecision { unanswered: SkillRouted { turn: Some(turn), .. }, .. }) => turn.0,
            _ => question.session.correlation(),
        };
        let id = EventId::derive(&[
            SkillModelAsked::KIND.as_bytes(),
            &correlation.0,
            &question.hash.0,
            &at.0.to_le_bytes(),
            &question.number.to_le_bytes(),
        ]);
        self.recorder.record([Sealed::new(id, at, correlation, Arc::new(asked))?])?;
        if let Some(pending) = question.pending {
            self.record_pending_decision(pending, reply.clone(), id)?;
        }
        Ok(SkillAnswer { question: question.hash, reply })
    }

    /// Records the decision of a turn with the reply of the event `asked`.
    fn record_pending_decision(
        &mut self,
        pending: PendingDecision,
        reply: SkillModelReply,
        asked: EventId,
    ) -> Result<(), EngineError> {
        let PendingDecision { unanswered, message, prepared } = pending;
        let inputs = SkillInputs { model_reply: Some(reply), ..unanswered.inputs.clone() };
        let SkillDecision { decision, omitted } = SkillDecision::new(prepared.router(), &message, &inputs);
        let routed = SkillRouted { inputs, decision, omitted, ..unanswered.clone() };
        match self.record_late_decision(routed, asked) {
            // A long reply can make the decision too long for an event.
            Err(EngineError::Codec(_)) => self.record_late_decision(unanswered, asked),
            result => result,
        }
    }

    /// Records the decision of a turn after its start. `cause` is the event that it follows from.
    fn record_late_decision(&mut self, routed: SkillRouted, cause: EventId) -> Result<(), EngineError> {
        let at = self.now();
        let (id, correlation) = place(&routed, SkillRouted::KIND);
        let following = following_events(&routed, id, at, correlation)?;
        let sealed = Sealed::new(id, at, correlation, Arc::new(routed))?.caused_by(cause);
        self.recorder.record(std::iter::once(sealed).chain(following))
    }

    /// Records the decisions of turns whose question had no reply when the previous process ended.
    pub(crate) fn record_unanswered_questions(&mut self) -> Result<(), EngineError> {
        let open: Vec<_> = self.state().skill_questions.open().cloned().collect();
        for sent in open {
            let (cause, _) = place(&sent.unanswered, SkillQuestionSent::KIND);
            self.load_session(&sent.unanswered.session)?;
            self.record_late_decision(*sent.unanswered, cause)?;
        }
        Ok(())
    }
}

/// Converts the response of a model to the reply that events record.
fn recorded_reply(text: &Result<String, String>, withholds: bool) -> SkillModelReply {
    let unavailable = |cause: &str| SkillModelReply::Unavailable { cause: cut(cause) };
    let reply = match text {
        Ok(text) => parse_reply(text),
        Err(cause) => return unavailable(cause),
    };
    let LlmReply { skill, secondary, confidence, reasoning } = match reply {
        Ok(reply) => reply,
        // The message of this error can quote the response.
        Err(LlmReplyError::Invalid(_)) => return unavailable("the reply is not the requested JSON object"),
        Err(error) => return unavailable(&error.to_string()),
    };
    let reasoning = if withholds { REASONING_WITHHELD.to_owned() } else { cut(&reasoning) };
    match skill {
        Some(skill) if MAX_NAME_BYTES < skill.len() => unavailable("the name of the skill is too long"),
        Some(skill) => {
            let secondary = secondary.into_iter().filter(|name| name.len() <= MAX_NAME_BYTES).take(MAX_SECONDARY);
            SkillModelReply::Skill { skill, secondary: secondary.collect(), confidence, reasoning }
        }
        None => SkillModelReply::Ambiguous { confidence, reasoning },
    }
}

/// Returns the start of a text, cut at a character boundary.
fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_TEXT_BYTES)].to_owned()
}
