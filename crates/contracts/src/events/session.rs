//! Events about sessions.

use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{ModelId, SessionId, ThreadId, TurnId};

/// Where a session comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionSource {
    /// Claude Code's own session files.
    ClaudeCode,
    /// The command line of turnwise.
    CommandLine,
    /// Codex's own session files.
    Codex,
    /// A log of requests to the chat completions of `OpenAI` or a compatible provider.
    OpenAiLog,
    /// A client of the gateway.
    Gateway,
}

/// A session was seen for the first time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStarted {
    /// The session.
    pub session: SessionId,
    /// Where it comes from.
    pub source: SessionSource,
    /// The absolute path of its workspace.
    pub workspace: Option<String>,
    /// The client and its version, as it calls itself.
    pub client: Option<String>,
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
    }
);

/// The user set or cleared the model of a session (004 §4.3, §3.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionModelSelected {
    /// The session.
    pub session: SessionId,
    /// The model, or `None` to go back to the rules.
    pub model: Option<ModelId>,
    /// The turn that was running; the choice then takes effect when the next turn starts.
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

/// What set off a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactionTrigger {
    /// The context was nearly full.
    Automatic,
    /// The user asked for it.
    Manual,
}

/// The history of a session was replaced by a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCompacted {
    /// The session.
    pub session: SessionId,
    /// The sub-agent whose history it was, if it was not that of the main line.
    pub thread: Option<ThreadId>,
    /// What set it off.
    pub trigger: CompactionTrigger,
    /// Tokens of the history before.
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
        thread: Some(sample::name("agent-7c1e9d")),
        trigger: CompactionTrigger::Automatic,
        tokens_before: Some(155_333),
    }
);

/// A session that the user had left was opened again. What the client sends from here on is put together anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionResumed {
    /// The session.
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
