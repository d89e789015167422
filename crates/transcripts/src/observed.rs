//! Sessions and turns that another client recorded, in types that are independent of the file format.

use std::collections::BTreeSet;

use catalogue::estimate::{PromptShape, estimate_for_each_tokenizer};
use contracts::{
    CacheVariant, Estimates, Parent, Requirement, SessionId, SideEffect, Thread, TurnId, Usage,
    events::{CompactionTrigger, ErrorClass, SessionSource, StopReason, ToolOutcome, TurnStatus},
};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::tool_call::ToolClass;

/// A session that another client recorded: its id, client and workspace. The readers of session files return it beside
/// the turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedSession {
    /// Session id of the client.
    pub id: SessionId,
    /// Format of the file that it was read from.
    pub source: SessionSource,
    /// Absolute path of the workspace; `None` if not recorded.
    pub workspace: Option<String>,
    /// Name of the client, with its version if recorded, such as `claude-code 2.1.17`; `None` if the client is unknown.
    pub client: Option<String>,
    /// First time in the file.
    pub started_at: Timestamp,
    /// The session whose history this one continues, if the file names it.
    pub parent: Option<Parent>,
}

/// A recorded turn: a user message and the steps that followed. The engine converts it to events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedTurn {
    /// Session of the turn; not that of the file for copied history.
    pub session: SessionId,
    /// The client's id of the turn or of its message, unique in the session.
    pub name: String,
    /// Thread of the turn.
    pub thread: Thread,
    /// Time of the message.
    pub started_at: Timestamp,
    /// Text of the message; empty if the file does not contain it.
    pub message: String,
    /// Whether the message contains images.
    pub message_has_images: bool,
    /// State of the thread before the turn.
    pub before: ThreadState,
    /// Steps of the turn, in the order of the file.
    pub steps: Vec<Step>,
    /// Status and time of the end; `None` if the file ends before, and a later import may continue the turn.
    pub end: Option<(TurnStatus, Timestamp)>,
}

/// State of a thread at the start of a turn: the size of its prompt and the tools used so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ThreadState {
    /// Size of the prompt, including the new message.
    pub prompt: PromptShape,
    /// Whether the prompt contains images.
    pub images: bool,
    /// Number of tool calls.
    pub tool_calls: u64,
    /// Extensions of the files that tools accessed or their results name, in lower case, with the dot.
    pub extensions: BTreeSet<String>,
    /// Top-level directories of those files, inside the workspace.
    pub directories: BTreeSet<String>,
    /// Names of the tools used.
    pub tools: BTreeSet<String>,
    /// Side effects of those tools.
    pub side_effects: BTreeSet<SideEffect>,
    /// Requirements of the prompt that the file shows: thinking of earlier responses, tools with free text. Settings of
    /// the request are not recorded.
    pub requires: BTreeSet<Requirement>,
}

/// A step of a turn in a session file, such as a model call or a tool result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A model responded. Precedes the tool calls of the response.
    Call(ObservedCall),
    /// A model called a tool.
    ToolCalled(ObservedTool),
    /// A tool call ended.
    ToolFinished(ObservedResult),
    /// A model call failed.
    Failed(ObservedFailure),
    /// The history was replaced by a summary.
    Compacted(ObservedCompaction),
    /// The user reopened the session.
    Resumed(ObservedResumption),
}

impl Step {
    /// Returns the time of the step; for a model call, the end of its response.
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

/// A model call with its response, as a session file records it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedCall {
    /// Id derived from the provider's ids of message and request, so that a copy in another file is the same call.
    pub id: EventId,
    /// The provider's id of the message.
    pub message: String,
    /// The provider's id of the request.
    pub request: Option<String>,
    /// End of the response: the time of its last line.
    pub at: Timestamp,
    /// Start of the response: the time of its first line.
    pub began_at: Timestamp,
    /// Earliest time at which the call was sent: that of the input before it. `None` if not recorded.
    pub started_at: Option<Timestamp>,
    /// Model in the provider's notation.
    pub model: String,
    /// Tokens used.
    pub usage: Usage,
    /// Usage object of the provider as JSON; `None` if it is longer than 1 KiB.
    pub raw_usage: Option<String>,
    /// Reason why the response ended.
    pub stop_reason: StopReason,
    /// Number of tool calls.
    pub tool_calls: u32,
    /// Number of thinking blocks.
    pub thinking_blocks: u32,
    /// Cache variant of the request: whether it continues a command or skill, or a message.
    pub variant: CacheVariant,
    /// False if the file ends here, so that more of the response may follow.
    pub complete: bool,
}

/// A tool call by a model, with its classification and without its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedTool {
    /// The provider's id of the tool call.
    pub id: String,
    /// Id of the model call.
    pub call: EventId,
    /// Time of the step.
    pub at: Timestamp,
    /// Name of the tool.
    pub name: String,
    /// Its side effect and files.
    pub class: ToolClass,
}

/// The result of a tool call in a session file: its outcome and size, without its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedResult {
    /// Id of the tool call.
    pub id: String,
    /// Time of the step.
    pub at: Timestamp,
    /// Outcome of the tool call.
    pub outcome: ToolOutcome,
    /// Length of the result in bytes.
    pub output_bytes: u64,
    /// Extensions of the files that the result names, in lower case, with the dot.
    pub extensions: BTreeSet<String>,
}

/// A failed model call in a session file, or an attempt that the client retried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedFailure {
    /// The client's id of the line.
    pub id: String,
    /// Time of the step.
    pub at: Timestamp,
    /// Model of the thread's last call, since the file does not record which model failed; `None` before the first
    /// call.
    pub model: Option<String>,
    /// Class of the error.
    pub class: ErrorClass,
    /// HTTP status code of the provider; `None` if not recorded.
    pub status: Option<u16>,
    /// Number of the attempt, from 1, if the client retried; `None` for the last one.
    pub attempt: Option<u32>,
}

/// A compaction in a session file: the client replaced the history by a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedCompaction {
    /// The client's id of the line.
    pub id: String,
    /// Time of the step.
    pub at: Timestamp,
    /// Trigger of the compaction.
    pub trigger: CompactionTrigger,
    /// Tokens of the history before the compaction; `None` if not recorded.
    pub tokens_before: Option<u64>,
}

/// The reopening of a session that the user had left, in a session file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedResumption {
    /// The client's id of the first message or response afterwards.
    pub id: String,
    /// Time of that message or response.
    pub at: Timestamp,
}

impl ObservedTurn {
    /// Returns the latest time in the turn.
    pub fn last_at(&self) -> Timestamp {
        let steps = self.steps.iter().map(Step::at);
        steps.chain(self.end.map(|(_, at)| at)).fold(self.started_at, Timestamp::max)
    }

    /// Returns the id of the turn, which is the same whenever the file is imported.
    pub fn id(&self) -> TurnId {
        TurnId::derive(&self.session, &self.name)
    }

    /// Returns the estimated number of tokens of the turn's first prompt, for each family of tokenizer.
    pub fn estimates(&self) -> Estimates {
        estimate_for_each_tokenizer(&self.before.prompt)
    }

    /// Returns the model of the turn's first call, in the provider's notation; `None` if the file shows no call. The
    /// thread of a turn uses one model at a time, so this is the model that the client requested.
    pub fn model(&self) -> Option<&str> {
        self.steps.iter().find_map(|step| match step {
            Step::Call(call) => Some(call.model.as_str()),
            Step::Failed(failure) => failure.model.as_deref(),
            _ => None,
        })
    }

    /// Returns the model calls with a response, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ObservedCall> {
        self.steps.iter().filter_map(|step| match step {
            Step::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Returns the tool calls, in order.
    pub fn tools(&self) -> impl Iterator<Item = &ObservedTool> {
        self.steps.iter().filter_map(|step| match step {
            Step::ToolCalled(tool) => Some(tool),
            _ => None,
        })
    }
}
