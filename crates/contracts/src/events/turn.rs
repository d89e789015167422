//! Events about turns.

use serde::{Deserialize, Serialize};

use super::{TextBody, event, sample};
use crate::{
    ClientRequest, Delegation, Estimates, Features, IntentTag, ModelId, NanoUsd, Needs, Override, Requirement,
    SessionId, Sketch, ThreadId, TokenBucket, Tone, TurnId, WireApi,
};

/// A user message arrived: everything a decision reads about it (004 §5.3.1), but its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnStarted {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// The sub-agent at work, if it is not the main line of the session.
    pub thread: Option<ThreadId>,
    /// Length of the message in bytes.
    pub message_bytes: u64,
    /// Minutes by which the user's clock is ahead of UTC.
    pub offset_minutes: i16,
    /// `@alias` at the start of the message.
    pub override_model: Option<Override>,
    /// The model set for the session.
    pub sticky: Option<ModelId>,
    /// Set when a planner asked for this turn.
    pub delegation: Option<Delegation>,
    /// The absolute path of the workspace.
    pub workspace: Option<String>,
    /// What the prompt needs from a model.
    pub needs: Needs,
    /// Images in the new message.
    pub message_has_images: bool,
    /// A tool call anywhere earlier in the session.
    pub tool_calls_in_history: bool,
    /// Expected tokens of the whole prompt, by family of tokenizer: anthropic, openai, google, other.
    pub tokens: Estimates,
    /// Extensions of files that tools touched in this session.
    pub extensions: Vec<String>,
    /// Skills whose description matches the message.
    pub skills: Vec<String>,
    /// Cost of all calls since UTC midnight.
    pub spent_today: NanoUsd,
    /// What the pattern store compares.
    pub features: Features,
    /// What the message says about the answer before it.
    pub tone: Tone,
    /// The request it came in, when it came over a wire API.
    pub request: Option<ClientRequest>,
}

event!(
    TurnStarted,
    "turn.started",
    1,
    Internal,
    "A user message arrived and a turn began.",
    TurnStarted {
        turn: sample::turn(),
        session: sample::session(),
        thread: None,
        message_bytes: 37,
        offset_minutes: 120,
        override_model: None,
        sticky: None,
        delegation: None,
        workspace: Some("/home/dev/shop".to_owned()),
        needs: Needs { images: false, tools: true, system_prompt: true, structured_output: false },
        message_has_images: false,
        tool_calls_in_history: true,
        tokens: Estimates::same(18_338),
        extensions: vec![".rs".to_owned()],
        skills: Vec::new(),
        spent_today: NanoUsd(5_420_000_000),
        features: Features {
            extensions: vec![".rs".to_owned()],
            directories: vec!["src".to_owned()],
            tools: vec!["Read".to_owned()],
            side_effects: vec![crate::SideEffect::Read],
            images: false,
            tool_history: true,
            tokens: TokenBucket(2),
            intents: [IntentTag::Refactor].into_iter().collect(),
            workload: Some("nightly".to_owned()),
            sketch: Sketch { words: vec![257, 4_711], pairs: vec![60_001], shape: vec![10, 5, 3] },
            text: None,
        },
        tone: Tone::Plain,
        request: Some(ClientRequest {
            api: WireApi::AnthropicMessages,
            client: Some("claude-code".to_owned()),
            model: "claude-opus-4-8".to_owned(),
            named: Some(sample::model()),
            side: None,
            subagent: false,
            requires: [Requirement::CacheControl, Requirement::ThinkingControl].into_iter().collect(),
            signed_by: [sample::model()].into_iter().collect(),
            brings_key_of: None,
        }),
    }
);

/// The text of a turn's message. The only event that carries what the user wrote (decision D15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTextRecorded {
    /// The turn.
    pub turn: TurnId,
    /// The message, without the override token.
    pub text: TextBody,
}

event!(
    TurnTextRecorded,
    "turn.text_recorded",
    1,
    Private,
    "The text of a turn's message, kept only where the user allows it.",
    TurnTextRecorded { turn: sample::turn(), text: TextBody::Inline("/commit fix the auth bug".to_owned()) }
);

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// The model had nothing more to say.
    Completed,
    /// The user stopped it.
    Cancelled,
    /// No model could take it (004 §4.7).
    Refused,
    /// The last call failed and nobody tried again.
    Failed,
}

/// A turn is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnded {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// How it ended.
    pub status: TurnStatus,
    /// Calls to a model.
    pub llm_calls: u32,
    /// Calls of tools.
    pub tool_calls: u32,
}

event!(
    TurnEnded,
    "turn.ended",
    1,
    Internal,
    "A turn is over.",
    TurnEnded {
        turn: sample::turn(),
        session: sample::session(),
        status: TurnStatus::Completed,
        llm_calls: 3,
        tool_calls: 2,
    }
);
