//! Decides which skills a message loads, with the limits of an event.

use contracts::{
    ContentHash, Decision, SkillChoice,
    events::{SkillInputs, SkillModelReply, SkillRouted},
    shorten_skill_decision,
};
use skills::{LlmAnswer, LlmQuestion, SkillRequest, SkillRouter, decide};

/// The part of a message that a decision reads, in bytes: its start. A decision then takes at most about a millisecond.
const MAX_MESSAGE_BYTES: usize = 16 * 1024;
/// The maximum length of a recorded decision in bytes. The other fields of its event need up to 1,800 bytes.
const MAX_DECISION_BYTES: usize = 2_200;

/// A skill decision, as its event records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillDecision {
    /// The outcome and the chain, shortened to the size of an event.
    pub decision: Decision<SkillChoice>,
    /// The number of entries that were removed from its lists.
    pub omitted: u32,
}

impl SkillDecision {
    /// Decides about a message, of which the first 16 KiB are read. Equal arguments result in equal decisions.
    pub fn new(router: &SkillRouter, message: &str, inputs: &SkillInputs) -> Self {
        let decision = decide(&request(message, inputs), router);
        let (decision, omitted) = shorten_skill_decision(decision, MAX_DECISION_BYTES);
        Self { decision, omitted }
    }
}

/// Returns the question to a model for a decision about a message that reached the layer of the model without a reply; `None`
/// if it did not, or if there is no skill to choose from.
pub(super) fn llm_question(router: &SkillRouter, message: &str, routed: &SkillRouted) -> Option<LlmQuestion> {
    let question = LlmQuestion::new(&request(message, &routed.inputs), router, &routed.decision)?;
    (!question.available_skills.is_empty()).then_some(question)
}

/// Returns the request of a decision about a message.
fn request<'a>(message: &'a str, inputs: &'a SkillInputs) -> SkillRequest<'a> {
    SkillRequest {
        text: &message[..message.floor_char_boundary(MAX_MESSAGE_BYTES)],
        files: &inputs.files,
        commands: &inputs.commands,
        stack: &inputs.stack,
        criticality: inputs.criticality,
        prior_skill: inputs.prior_skill.as_deref(),
        interactive: inputs.interactive,
        asked_before: inputs.asked_before,
        llm: inputs.model_reply.as_ref().map_or(LlmAnswer::NotAsked, answer),
        ..SkillRequest::default()
    }
}

/// Converts the recorded reply of a model.
fn answer(reply: &SkillModelReply) -> LlmAnswer<'_> {
    match reply {
        SkillModelReply::Unavailable { cause } => LlmAnswer::Unavailable(cause),
        SkillModelReply::Skill { skill, secondary, confidence, reasoning } => {
            LlmAnswer::Skill { name: skill, secondary, confidence: *confidence, reasoning }
        }
        SkillModelReply::Ambiguous { confidence, reasoning } => {
            LlmAnswer::Ambiguous { confidence: *confidence, reasoning }
        }
    }
}

/// Returns the hash of a message.
pub(super) fn message_hash(message: &str) -> ContentHash {
    ContentHash(*blake3::hash(message.as_bytes()).as_bytes())
}
