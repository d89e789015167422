//! Inputs of a decision about a turn, captured when the turn starts (004 §5.3.1).

use std::collections::BTreeSet;

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    ClientRequest, Estimates, Features, ModelId, NanoUsd, SessionId, Spending, Tier, TurnId, events::ErrorClass,
};

/// Capabilities that a prompt requires of a model. Only what the turn uses is required (004 §4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent yes-or-no events about a prompt")]
pub struct Needs {
    /// Whether any message that would be sent contains images (decision D11).
    pub images: bool,
    /// Whether the request defines tools.
    pub tools: bool,
    /// Whether the request has a system prompt.
    pub system_prompt: bool,
    /// Whether the response must follow a schema.
    pub structured_output: bool,
}

/// A model override: the resolved `@alias` at the start of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Override {
    /// Alias as written, without the `@`.
    pub alias: String,
    /// Model that the alias refers to.
    pub model: ModelId,
}

/// A planner's request for work by a model of a tier, the candidate of slot `DELEGATE_REQUEST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegation {
    /// Requested tier.
    pub tier: Tier,
}

/// A model whose call failed in the turn before the first byte of its response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCandidate {
    /// Id of the model.
    pub model: ModelId,
    /// Class of the error.
    pub class: ErrorClass,
}

/// Message of a turn, as input of the text predicates of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageText {
    /// The text, without the `@` mention.
    Present(String),
    /// The text was purged. Contains the numbers of the text predicates that had matched it (decision D9).
    Matched(Vec<u16>),
}

/// All properties of a turn that a decision reads. Created from `turn.started` and the recorded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Id of the turn.
    pub id: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Time at which the turn started.
    pub at: Timestamp,
    /// Offset of the user's local time from UTC in minutes, positive to the east.
    pub offset_minutes: i16,
    /// Message that started the turn.
    pub message: MessageText,
    /// Length of the message in bytes.
    pub message_bytes: u64,
    /// Model override at the start of the message.
    pub override_model: Option<Override>,
    /// Model that the user set for the session.
    pub sticky: Option<ModelId>,
    /// The delegation that requested the turn; `None` for other turns.
    pub delegation: Option<Delegation>,
    /// Absolute path of the session's workspace.
    pub workspace: Option<String>,
    /// Capabilities that the prompt requires of a model.
    pub needs: Needs,
    /// Whether the new message contains images.
    pub message_has_images: bool,
    /// Whether an earlier response of the session called a tool.
    pub tool_calls_in_history: bool,
    /// Estimated tokens of the whole prompt.
    pub tokens: Estimates,
    /// Extensions of the files that tools of the session accessed, in lower case, with the dot.
    pub extensions: BTreeSet<String>,
    /// Names of the skills whose description matches the message.
    pub skills: BTreeSet<String>,
    /// Cost of all calls of all sessions since midnight UTC (decision D10).
    pub spent_today: NanoUsd,
    /// What was spent in other periods and scopes.
    pub spending: Spending,
    /// Features that the pattern store compares.
    pub features: Features,
    /// The request that started the turn, or what a session file shows of it; `None` for a turn of the command line.
    pub request: Option<ClientRequest>,
    /// Models that already failed in this turn.
    pub failed: Vec<FailedCandidate>,
}
