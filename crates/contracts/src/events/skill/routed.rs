//! The event of a skill decision, the text that it read, and the turn that uses it.

use event_core::EventId;
use serde::{Deserialize, Serialize};

use super::SkillModelReply;
use crate::{
    ChainEntry, ContentHash, Criticality, Decision, SessionId, SkillChoice, SkillOutcome, SkillReason, SkillSlot,
    Thread, TurnId,
    events::{TextBody, event, sample},
};

/// How a skill decision is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillRoutingMode {
    /// A hook of a client asked before it sent the prompt; the decision was returned to the client as advice.
    Hook,
    /// A turn passed through turnwise, which left the client's own choice of skills unchanged.
    Observed,
    /// The turn was imported from a session file.
    Imported,
}

/// The inputs of a skill decision besides the text, the skills and the policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillInputs {
    /// Files of the task, relative to the workspace. Paths that the text names are not repeated here.
    pub files: Vec<String>,
    /// Commands of the task.
    pub commands: Vec<String>,
    /// Technologies of the workspace.
    pub stack: Vec<String>,
    /// Criticality of the task; `None` if it is unknown.
    pub criticality: Option<Criticality>,
    /// First skill that the previous decision of the session loads; `None` if it loads none or there is no previous one.
    pub prior_skill: Option<String>,
    /// Whether the user can answer a question.
    pub interactive: bool,
    /// Whether the previous decision of the session was a question to the user.
    pub asked_before: bool,
    /// Reply of the model that was asked which skill fits; `None` if none was asked.
    pub model_reply: Option<SkillModelReply>,
}

/// Event: the skills of a user message were decided. Each message has exactly one such event: that of its turn, or that of
/// a hook, to which `skill.reused` of the turn refers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillRouted {
    /// Session of the message.
    pub session: SessionId,
    /// Thread of the message.
    pub thread: Thread,
    /// Id of the turn; `None` for the decision of a hook, which is made before the turn starts.
    pub turn: Option<TurnId>,
    /// Absolute path of the workspace; `None` if it is unknown.
    pub workspace: Option<String>,
    /// Hash of the message that the decision read.
    pub text: ContentHash,
    /// Length of the message in bytes.
    pub text_bytes: u64,
    /// How the decision is used.
    pub mode: SkillRoutingMode,
    /// Other inputs of the decision.
    pub inputs: SkillInputs,
    /// Hash of the active policy, as in its `policy.loaded`.
    pub policy: ContentHash,
    /// Hash of the skills, as in their `skill.indexed`; `None` if no skill is known.
    pub sources: Option<ContentHash>,
    /// Version of the decision code; other versions may decide differently.
    pub decider: u16,
    /// Duration of the decision in microseconds; 0 for an imported turn.
    pub elapsed_micros: u32,
    /// Number of entries that were removed from lists of `decision` because it did not fit into the event.
    pub omitted: u32,
    /// Outcome and evaluated chain.
    pub decision: Decision<SkillChoice>,
}

/// Returns the example of `skill.routed`.
pub(super) fn sample_routed() -> SkillRouted {
    SkillRouted {
        session: sample::session(),
        thread: Thread::Main,
        turn: Some(sample::turn()),
        workspace: Some("/home/dev/shop".to_owned()),
        text: ContentHash([0x55; 32]),
        text_bytes: 37,
        mode: SkillRoutingMode::Observed,
        inputs: SkillInputs {
            files: vec!["src/auth.rs".to_owned()],
            commands: Vec::new(),
            stack: vec!["rust".to_owned()],
            criticality: Some(Criticality::C2),
            prior_skill: Some("review".to_owned()),
            interactive: true,
            asked_before: false,
            model_reply: None,
        },
        policy: ContentHash([0x22; 32]),
        sources: Some(ContentHash([0x44; 32])),
        decider: 1,
        elapsed_micros: 41,
        omitted: 0,
        decision: Decision::from_chain(vec![ChainEntry::proposed(
            SkillSlot::Explicit,
            SkillOutcome::load("commit"),
            SkillReason::SlashCommand { overflow: Vec::new() },
            None,
        )]),
    }
}

event!(
    SkillRouted,
    "skill.routed",
    1,
    Internal,
    "Which skills a user message loads, and why, with the whole chain of layers.",
    sample_routed()
);

/// Event: the text of a message whose skills a hook decided. It is recorded where the policy allows text to be recorded;
/// the text of a turn is in `turn.text_recorded`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillPromptRecorded {
    /// Id of the `skill.routed` event of the hook.
    pub decision: EventId,
    /// Session of the message.
    pub session: SessionId,
    /// The message.
    pub text: TextBody,
}

event!(
    SkillPromptRecorded,
    "skill.prompt_recorded",
    1,
    Private,
    "The text of a message whose skills a hook decided, kept only where the user allows it.",
    SkillPromptRecorded {
        decision: EventId([0x66; 16]),
        session: sample::session(),
        text: TextBody::Inline("/commit fix the auth bug".to_owned()),
    }
);

/// Event: a turn started with a message whose skills a hook had decided. The decision is not made a second time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillReused {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Id of the `skill.routed` event of the hook.
    pub decision: EventId,
}

event!(
    SkillReused,
    "skill.reused",
    1,
    Internal,
    "A turn uses the skill decision that a hook made for its message.",
    SkillReused { turn: sample::turn(), session: sample::session(), decision: EventId([0x66; 16]) }
);
