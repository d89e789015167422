//! A session that another client recorded, in neutral types and in the order in which it happened.

use std::collections::BTreeSet;

use catalogue::estimate::{PromptShape, estimates};
use contracts::{
    CacheVariant, Estimates, SessionId, SideEffect, ThreadId, TurnId, Usage,
    events::{CompactionTrigger, ErrorClass, SessionSource, StopReason, ToolOutcome, TurnStatus},
};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedSession {
    /// The session, as its client names it.
    pub id: SessionId,
    /// Whose file it comes from.
    pub source: SessionSource,
    /// The absolute path of its workspace.
    pub workspace: Option<String>,
    /// The version of the client.
    pub client: Option<String>,
    /// The first time in its file.
    pub started_at: Timestamp,
}

/// A turn: one user message and everything done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedTurn {
    /// Its session: normally that of the file, another one for history copied from elsewhere.
    pub session: SessionId,
    /// The client's own id of the user message.
    pub name: String,
    /// The sub-agent at work, if it is not the main line of the session.
    pub thread: Option<ThreadId>,
    /// When the message was sent.
    pub started_at: Timestamp,
    /// What the user wrote; empty when the file does not have the message.
    pub message: String,
    /// Images in the message.
    pub message_has_images: bool,
    /// What had happened before, in this thread.
    pub before: Before,
    /// What happened, in the order of the file.
    pub steps: Vec<Step>,
    /// How and when it ended; `None` when the file stops in the middle of it, and a later import may go on.
    pub end: Option<(TurnStatus, Timestamp)>,
}

/// What a thread had seen before a turn began.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Before {
    /// What the prompt is made of, the new message included.
    pub prompt: PromptShape,
    /// An image anywhere in that prompt.
    pub images: bool,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Extensions of files that tools touched, lower case, with the dot.
    pub extensions: BTreeSet<String>,
    /// Top-level directories of those files, inside the workspace.
    pub directories: BTreeSet<String>,
    /// Names of tools used.
    pub tools: BTreeSet<String>,
    /// What those tools do to the world.
    pub side_effects: BTreeSet<SideEffect>,
}

/// One thing that happened in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A model answered. Stands before the tools it asked for.
    Call(ObservedCall),
    /// A model asked for a tool.
    ToolCalled(ObservedTool),
    /// A tool is done.
    ToolFinished(ObservedResult),
    /// A call failed.
    Failed(ObservedFailure),
    /// The history was replaced by a summary.
    Compacted(ObservedCompaction),
    /// The user had left the session before and opened it again.
    Resumed(ObservedResumption),
}

impl Step {
    /// When it happened, or was over.
    pub const fn at(&self) -> Timestamp {
        match self {
            Self::Call(call) => call.at,
            Self::ToolCalled(tool) => tool.at,
            Self::ToolFinished(result) => result.at,
            Self::Failed(failure) => failure.at,
            Self::Compacted(compaction) => compaction.at,
            Self::Resumed(resumption) => resumption.at,
        }
    }
}

/// A call that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedCall {
    /// Follows from the provider's ids of message and request alone: a copy in another file is the same call.
    pub id: EventId,
    /// The provider's id of the message.
    pub message: String,
    /// The provider's id of the request.
    pub request: Option<String>,
    /// When the answer ended: the time of its last line.
    pub at: Timestamp,
    /// When it began: the time of its first line.
    pub began_at: Timestamp,
    /// When it was sent, at the earliest: the time of what it answers. `None` when that is not in the file.
    pub started_at: Option<Timestamp>,
    /// The model, as the provider names it.
    pub model: String,
    /// What it used.
    pub usage: Usage,
    /// The provider's account of the usage as JSON; `None` when it is longer than 1 KiB.
    pub raw_usage: Option<String>,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// Tools it asked for.
    pub tool_calls: u32,
    /// Blocks of thinking.
    pub thinking_blocks: u32,
    /// Whether it continues a command or a skill, or a message of the user's own.
    pub variant: CacheVariant,
    /// False when the file stops here, so that more of this answer may follow.
    pub complete: bool,
}

/// A tool that a model asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedTool {
    /// The provider's id of the call of the tool.
    pub id: String,
    /// The call that asked for it.
    pub call: EventId,
    /// When.
    pub at: Timestamp,
    /// Its name.
    pub name: String,
    /// What it does to the world.
    pub side_effect: SideEffect,
    /// Extensions of the files it names, lower case, with the dot.
    pub extensions: BTreeSet<String>,
    /// Top-level directories of the files it names, inside the workspace.
    pub directories: BTreeSet<String>,
    /// The files it writes or takes back, each by the start of the hash of its path.
    pub files: BTreeSet<u32>,
    /// Whether it takes back what was written: those files, or everything when it names none.
    pub reverts: bool,
}

/// What came back from a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedResult {
    /// The id of the call of the tool.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// How it fared.
    pub outcome: ToolOutcome,
    /// Bytes of its result.
    pub output_bytes: u64,
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedFailure {
    /// The client's id of the line.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// The model of the thread's last call: the file does not name the one that failed.
    pub model: Option<String>,
    /// What went wrong.
    pub class: ErrorClass,
    /// The provider's status code.
    pub status: Option<u16>,
    /// Which attempt it was, from 1, when the client tried again; `None` when it gave up.
    pub attempt: Option<u32>,
}

/// The history was replaced by a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedCompaction {
    /// The client's id of the line.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// What set it off.
    pub trigger: CompactionTrigger,
    /// Tokens of the history before.
    pub tokens_before: Option<u64>,
}

/// The user had left the session and opened it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedResumption {
    /// The client's id of the first message or answer afterwards.
    pub id: String,
    /// When that was.
    pub at: Timestamp,
}

impl ObservedTurn {
    /// The last time anything happened in it that the file tells of.
    pub fn last_at(&self) -> Timestamp {
        let steps = self.steps.iter().map(Step::at);
        steps.chain(self.end.map(|(_, at)| at)).fold(self.started_at, Timestamp::max)
    }

    /// The id of the turn: the same on every import.
    pub fn id(&self) -> TurnId {
        TurnId::derive(&self.session, &self.name)
    }

    /// The expected tokens of its first prompt, by every family.
    pub fn estimates(&self) -> Estimates {
        estimates(&self.before.prompt)
    }

    /// The calls that were answered, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ObservedCall> {
        self.steps.iter().filter_map(|step| match step {
            Step::Call(call) => Some(call),
            _ => None,
        })
    }

    /// The tools that were asked for, in order.
    pub fn tools(&self) -> impl Iterator<Item = &ObservedTool> {
        self.steps.iter().filter_map(|step| match step {
            Step::ToolCalled(tool) => Some(tool),
            _ => None,
        })
    }
}
