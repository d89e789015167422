//! Earlier layouts of events about turns.

use serde::{Deserialize, Serialize};

use crate::{
    Delegation, Estimates, Features, IntentTag, IntentTags, ModelId, NanoUsd, Needs, Override, SessionId, SideEffect,
    Sketch, ThreadId, TokenBucket, Tone, TurnId,
    events::{TurnStarted, event, sample},
};

/// The features of a turn as they were first: without its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `Features`")]
pub struct FeaturesV1 {
    pub extensions: Vec<String>,
    pub directories: Vec<String>,
    pub tools: Vec<String>,
    pub side_effects: Vec<SideEffect>,
    pub images: bool,
    pub tool_history: bool,
    pub tokens: TokenBucket,
    pub intents: IntentTags,
}

impl From<FeaturesV1> for Features {
    fn from(old: FeaturesV1) -> Self {
        Self {
            extensions: old.extensions,
            directories: old.directories,
            tools: old.tools,
            side_effects: old.side_effects,
            images: old.images,
            tool_history: old.tool_history,
            tokens: old.tokens,
            intents: old.intents,
            workload: None,
            sketch: Sketch::default(),
            text: None,
        }
    }
}

/// `turn.started` as it was first: without the words of the message, and what it says about the answer before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `TurnStarted`")]
pub struct TurnStartedV1 {
    pub turn: TurnId,
    pub session: SessionId,
    pub thread: Option<ThreadId>,
    pub message_bytes: u64,
    pub offset_minutes: i16,
    pub override_model: Option<Override>,
    pub sticky: Option<ModelId>,
    pub delegation: Option<Delegation>,
    pub workspace: Option<String>,
    pub needs: Needs,
    pub message_has_images: bool,
    pub tool_calls_in_history: bool,
    pub tokens: Estimates,
    pub extensions: Vec<String>,
    pub skills: Vec<String>,
    pub spent_today: NanoUsd,
    pub features: FeaturesV1,
}

impl From<TurnStartedV1> for TurnStartedV2 {
    fn from(old: TurnStartedV1) -> Self {
        Self {
            turn: old.turn,
            session: old.session,
            thread: old.thread,
            message_bytes: old.message_bytes,
            offset_minutes: old.offset_minutes,
            override_model: old.override_model,
            sticky: old.sticky,
            delegation: old.delegation,
            workspace: old.workspace,
            needs: old.needs,
            message_has_images: old.message_has_images,
            tool_calls_in_history: old.tool_calls_in_history,
            tokens: old.tokens,
            extensions: old.extensions,
            skills: old.skills,
            spent_today: old.spent_today,
            features: old.features.into(),
            tone: Tone::Plain,
        }
    }
}

event!(
    TurnStartedV1,
    "turn.started",
    1,
    Internal,
    "A user message arrived and a turn began; the first layout, no longer written.",
    TurnStartedV1 {
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
        features: FeaturesV1 {
            extensions: vec![".rs".to_owned()],
            directories: vec!["src".to_owned()],
            tools: vec!["Read".to_owned()],
            side_effects: vec![SideEffect::Read],
            images: false,
            tool_history: true,
            tokens: TokenBucket(2),
            intents: [IntentTag::Refactor].into_iter().collect(),
        },
    }
);

/// `turn.started` before there was a gateway: without the request it came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `TurnStarted`")]
pub struct TurnStartedV2 {
    pub turn: TurnId,
    pub session: SessionId,
    pub thread: Option<ThreadId>,
    pub message_bytes: u64,
    pub offset_minutes: i16,
    pub override_model: Option<Override>,
    pub sticky: Option<ModelId>,
    pub delegation: Option<Delegation>,
    pub workspace: Option<String>,
    pub needs: Needs,
    pub message_has_images: bool,
    pub tool_calls_in_history: bool,
    pub tokens: Estimates,
    pub extensions: Vec<String>,
    pub skills: Vec<String>,
    pub spent_today: NanoUsd,
    pub features: Features,
    pub tone: Tone,
}

impl From<TurnStartedV2> for TurnStarted {
    fn from(old: TurnStartedV2) -> Self {
        Self {
            turn: old.turn,
            session: old.session,
            thread: old.thread,
            message_bytes: old.message_bytes,
            offset_minutes: old.offset_minutes,
            override_model: old.override_model,
            sticky: old.sticky,
            delegation: old.delegation,
            workspace: old.workspace,
            needs: old.needs,
            message_has_images: old.message_has_images,
            tool_calls_in_history: old.tool_calls_in_history,
            tokens: old.tokens,
            extensions: old.extensions,
            skills: old.skills,
            spent_today: old.spent_today,
            features: old.features,
            tone: old.tone,
            request: None,
        }
    }
}

event!(
    TurnStartedV2,
    "turn.started",
    2 from TurnStartedV1,
    Internal,
    "A user message arrived and a turn began; the layout before the gateway, no longer written.",
    TurnStartedV2 {
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
            side_effects: vec![SideEffect::Read],
            images: false,
            tool_history: true,
            tokens: TokenBucket(2),
            intents: [IntentTag::Refactor].into_iter().collect(),
            workload: Some("nightly".to_owned()),
            sketch: Sketch { words: vec![257, 4_711], pairs: vec![60_001], shape: vec![10, 5, 3] },
            text: None,
        },
        tone: Tone::Plain,
    }
);
