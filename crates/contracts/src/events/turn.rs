//! Events about turns: start, text of the message, end.

use serde::{Deserialize, Serialize};

use super::{TextBody, event, sample};
use crate::{
    ClientRequest, Delegation, Estimates, Features, InFlight, IntentTag, ModelId, NanoUsd, Needs, Override,
    PeriodAmounts, Requirement, SessionId, Sketch, Spending, Thread, TokenBucket, Tone, TurnId, WireApi,
};

/// Event: a turn started with a user message. Contains all inputs of the decision (004 §5.3.1) except the text, which
/// is in `turn.text_recorded`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnStarted {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Thread of the turn.
    pub thread: Thread,
    /// Length of the message in bytes.
    pub message_bytes: u64,
    /// Offset of the user's local time from UTC in minutes, positive to the east.
    pub offset_minutes: i16,
    /// Model named by an `@` mention at the start of the message.
    pub override_model: Option<Override>,
    /// Model that the user set for the session.
    pub sticky: Option<ModelId>,
    /// The delegation that requested the turn; `None` for other turns.
    pub delegation: Option<Delegation>,
    /// Absolute path of the workspace.
    pub workspace: Option<String>,
    /// Capabilities that the prompt requires of a model.
    pub needs: Needs,
    /// Whether the new message contains images.
    pub message_has_images: bool,
    /// Whether an earlier response of the session called a tool.
    pub tool_calls_in_history: bool,
    /// Estimated tokens of the whole prompt, for each family of tokenizer.
    pub tokens: Estimates,
    /// Extensions of the files that tools of the session accessed, in lower case, with the dot.
    pub extensions: Vec<String>,
    /// Names of the skills whose description matches the message.
    pub skills: Vec<String>,
    /// Cost of all calls since midnight UTC.
    pub spent_today: NanoUsd,
    /// What was spent in other periods and scopes, and the estimated costs of calls that have not ended.
    pub spending: Spending,
    /// Features that the pattern store compares.
    pub features: Features,
    /// The user's reaction to the previous response.
    pub tone: Tone,
    /// The request that started the turn, or what a session file shows of it; `None` for a turn of the command line.
    pub request: Option<ClientRequest>,
}

impl TurnStarted {
    /// Returns whether the turn belongs to the main conversation, and not to a sub-agent, an auxiliary call or a
    /// delegation. Only such turns use the model that the user set for the session (decision D45).
    pub fn is_of_conversation(&self) -> bool {
        self.thread == Thread::Main && self.delegation.is_none()
    }

    /// Returns whether the turn was imported from a session file. It ran elsewhere, on the requested model.
    pub fn is_imported(&self) -> bool {
        self.request.as_ref().is_some_and(|request| request.imported)
    }

    /// Returns the client's request to the gateway; `None` for an imported turn, which did not pass the gateway.
    pub fn gateway_request(&self) -> Option<&ClientRequest> {
        self.request.as_ref().filter(|request| !request.imported)
    }
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
        thread: Thread::Main,
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
        spending: Spending {
            week: NanoUsd(9_000_000_000),
            month: NanoUsd(31_500_000_000),
            project: PeriodAmounts {
                day: NanoUsd(1_200_000_000),
                week: NanoUsd(4_000_000_000),
                month: NanoUsd(12_000_000_000),
            },
            client: PeriodAmounts {
                day: NanoUsd(5_000_000_000),
                week: NanoUsd(8_000_000_000),
                month: NanoUsd(30_000_000_000),
            },
            session: NanoUsd(420_000_000),
            in_flight: InFlight { all: NanoUsd(90_000_000), session: NanoUsd(30_000_000), ..InFlight::default() },
        },
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
            auxiliary: None,
            subagent: false,
            requires: [Requirement::CacheControl, Requirement::ThinkingControl].into_iter().collect(),
            web_search: false,
            signed_by: [sample::model()].into_iter().collect(),
            brings_key_of: None,
            imported: false,
        }),
    }
);

/// Event: the text of a turn's message. Besides `skill.prompt_recorded`, no other event contains text that the user wrote
/// (decision D15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTextRecorded {
    /// Id of the turn.
    pub turn: TurnId,
    /// The message, without the `@` mention.
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

/// Final status of a turn, recorded in `turn.ended`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// The model responded without another tool call.
    Completed,
    /// The user cancelled the turn.
    Cancelled,
    /// No model passed validation (004 §4.7).
    Refused,
    /// The last call failed and was not retried.
    Failed,
}

/// Event: a turn ended, with its status and the number of its calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnded {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Status of the turn.
    pub status: TurnStatus,
    /// Number of model calls.
    pub llm_calls: u32,
    /// Number of tool calls.
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
