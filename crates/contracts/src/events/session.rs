//! Events about sessions: start, selected model, compaction, resumption.

use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{ModelId, Parent, SessionId, Thread, TurnId};

/// Source of a session's events: the gateway, a command, or the session files of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionSource {
    /// Session files of Claude Code.
    ClaudeCode,
    /// Commands of the program `turnwise`.
    CommandLine,
    /// Session files of Codex.
    Codex,
    /// A log of requests to chat completions of `OpenAI` or a compatible provider.
    OpenAiLog,
    /// Requests through the gateway.
    Gateway,
}

/// Event: a session started. Recorded once for each session, before its other events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStarted {
    /// Id of the session.
    pub session: SessionId,
    /// Source of the session.
    pub source: SessionSource,
    /// Absolute path of the workspace; `None` if unknown.
    pub workspace: Option<String>,
    /// Client and version, or the version alone for an imported session; `None` if unknown.
    pub client: Option<String>,
    /// Session, turn and tool call that started it; `None` for a session started by the user, or if that is unknown.
    pub parent: Option<Parent>,
}

event!(
    SessionStarted,
    "session.started",
    1,
    Internal,
    "A session was seen for the first time.",
    SessionStarted {
        session: sample::session(),
        source: SessionSource::ClaudeCode,
        workspace: Some("/home/dev/shop".to_owned()),
        client: Some("2.1.37".to_owned()),
        parent: Some(Parent {
            session: sample::name("sess-41"),
            turn: Some(sample::turn()),
            tool_call: Some("toolu_01".to_owned()),
        }),
    }
);

/// Event: the user set or cleared the model of a session (004 §4.3, §3.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionModelSelected {
    /// Id of the session.
    pub session: SessionId,
    /// The selected model; `None` if the user cleared it, so that the rules decide again.
    pub model: Option<ModelId>,
    /// Turn that was running and keeps its model; the selection applies from the next turn on. `None` if no turn was
    /// running.
    pub in_turn: Option<TurnId>,
}

event!(
    SessionModelSelected,
    "session.model_selected",
    1,
    Internal,
    "The user set the model of a session, or cleared it.",
    SessionModelSelected { session: sample::session(), model: Some(sample::model()), in_turn: Some(sample::turn()) }
);

/// The trigger of a compaction (the replacement of a session's history by a summary): the client or the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactionTrigger {
    /// The client compacted because the context was nearly full.
    Automatic,
    /// The user requested it.
    Manual,
}

/// Event: the client replaced the history of a session by a summary, which invalidates its cached prompts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCompacted {
    /// Id of the session.
    pub session: SessionId,
    /// Thread whose history was compacted.
    pub thread: Thread,
    /// Trigger of the compaction.
    pub trigger: CompactionTrigger,
    /// Tokens of the history before the compaction; `None` if unknown.
    pub tokens_before: Option<u64>,
}

event!(
    SessionCompacted,
    "session.compacted",
    1,
    Internal,
    "The history of a session was replaced by a summary.",
    SessionCompacted {
        session: sample::session(),
        thread: Thread::SubAgent(sample::name("agent-7c1e9d")),
        trigger: CompactionTrigger::Automatic,
        tokens_before: Some(155_333),
    }
);

/// Event: the user reopened a session. The client's next request has a newly assembled prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionResumed {
    /// Id of the session.
    pub session: SessionId,
}

event!(
    SessionResumed,
    "session.resumed",
    1,
    Internal,
    "A session that the user had left was opened again.",
    SessionResumed { session: sample::session() }
);
