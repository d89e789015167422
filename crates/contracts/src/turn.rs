//! A turn as a decision sees it: captured once, at its start (004 §5.3.1).

use std::collections::BTreeSet;

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{ClientRequest, Estimates, Features, ModelId, NanoUsd, SessionId, Tier, TurnId, events::ErrorClass};

/// What the prompt needs from a model. Only what is used is required (004 §4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent yes-or-no events about a prompt")]
pub struct Needs {
    /// Images anywhere in what would be sent (decision D11).
    pub images: bool,
    /// Tool definitions.
    pub tools: bool,
    /// A system prompt.
    pub system_prompt: bool,
    /// An answer that follows a schema.
    pub structured_output: bool,
}

/// An `@alias` at the start of the message, already resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Override {
    /// The alias as written, without the `@`.
    pub alias: String,
    /// The model it names.
    pub model: ModelId,
}

/// A planner's request for a worker of a tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegation {
    /// The tier asked for.
    pub tier: Tier,
}

/// A model that failed in this turn before it answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCandidate {
    /// The model.
    pub model: ModelId,
    /// What went wrong.
    pub class: ErrorClass,
}

/// The message of the turn, as far as rules may look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageText {
    /// The text, without the override token.
    Present(String),
    /// The text was purged; these text predicates matched it when it was there (decision D9).
    Matched(Vec<u16>),
}

/// Everything about a turn that a decision reads. Nothing else about the turn can influence it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The turn.
    pub id: TurnId,
    /// Its session.
    pub session: SessionId,
    /// When it started.
    pub at: Timestamp,
    /// Minutes by which the user's clock is ahead of UTC.
    pub offset_minutes: i16,
    /// The new message.
    pub message: MessageText,
    /// `@alias` at its start.
    pub override_model: Option<Override>,
    /// The model the user set for the session.
    pub sticky: Option<ModelId>,
    /// Set when a planner asked for this turn.
    pub delegation: Option<Delegation>,
    /// The absolute path of the session's workspace.
    pub workspace: Option<String>,
    /// What the prompt needs.
    pub needs: Needs,
    /// Images in the new message.
    pub message_has_images: bool,
    /// A tool call anywhere earlier in the session.
    pub tool_calls_in_history: bool,
    /// Expected tokens of the whole prompt.
    pub tokens: Estimates,
    /// Extensions of files that tools touched in this session, lower case, with the dot.
    pub extensions: BTreeSet<String>,
    /// Names of the skills whose description matches the message.
    pub skills: BTreeSet<String>,
    /// Cost of all calls since UTC midnight, all sessions (decision D10).
    pub spent_today: NanoUsd,
    /// What the pattern store compares.
    pub features: Features,
    /// The request it came in, when it came over a wire API.
    pub request: Option<ClientRequest>,
    /// The models that failed in this turn already.
    pub failed: Vec<FailedCandidate>,
}
