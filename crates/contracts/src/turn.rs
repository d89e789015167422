//! Inputs of a decision about a turn, captured when the turn starts (004 §5.3.1).

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    ClientRequest, ModelId, SkillWish, Tier,
    events::{ErrorClass, TurnStarted},
};

/// Capabilities that the prompt of a turn requires of a model (004 §4.4).
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

/// The model that the user selected for one message with `@alias` at its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Override {
    /// Alias as written, without the `@`.
    pub alias: String,
    /// Model that the alias refers to.
    pub model: ModelId,
}

/// A planner's request that a model of a tier does some work. It is the candidate of the slot `DELEGATE_REQUEST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegation {
    /// Requested tier.
    pub tier: Tier,
}

/// A model whose call failed before the first byte of its response. Another model is tried for the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCandidate {
    /// Id of the model.
    pub model: ModelId,
    /// Class of the error.
    pub class: ErrorClass,
}

/// The message of a turn, as the text predicates of rules read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageText<'a> {
    /// The text, without the `@` mention.
    Present(&'a str),
    /// The text was purged. Contains the numbers of the text predicates that had matched it (decision D9).
    Matched(&'a [u16]),
}

/// The input of a decision about a turn: the event that captured the turn, the text of its message and, for a later
/// decision in the same turn, the present request and the failed models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn<'a> {
    /// The event that captured the turn when it started.
    pub started: &'a TurnStarted,
    /// Time at which the turn started.
    pub at: Timestamp,
    /// Message that started the turn.
    pub message: MessageText<'a>,
    /// The client's request: that of the start, or a later one that continues the turn. `None` for a turn of the command
    /// line.
    pub request: Option<&'a ClientRequest>,
    /// Models that already failed in this turn.
    pub failed: &'a [FailedCandidate],
    /// Skills that the skill decision about the message loads; empty if it loads none, or if there is no such decision.
    pub skills: &'a [String],
    /// The model or tier that one of these skills asks for; `None` if none does.
    pub wish: Option<&'a SkillWish>,
}

impl<'a> Turn<'a> {
    /// Returns the input of the first decision about a turn, which started at `at`.
    pub const fn new(started: &'a TurnStarted, at: Timestamp, message: MessageText<'a>) -> Self {
        Self { started, at, message, request: started.request.as_ref(), failed: &[], skills: &[], wish: None }
    }
}
