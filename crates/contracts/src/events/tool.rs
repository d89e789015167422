//! Events about tool calls and their results.

use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{SessionId, SideEffect, TurnId};

/// Event: a model called a tool. Contains the classification of the call and not its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCalled {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Id of the tool call, as assigned by the client or the provider.
    pub call: String,
    /// Name of the tool.
    pub name: String,
    /// Kind of side effect that the tool has.
    pub side_effect: SideEffect,
    /// Extensions of the files in the arguments, in lower case, with the dot.
    pub extensions: Vec<String>,
    /// Top-level directories of the files in the arguments, for files inside the workspace.
    pub directories: Vec<String>,
    /// Files that the call writes or reverts, each as the first 32 bits of the hash of its path.
    pub files: Vec<u32>,
    /// Whether the call reverts earlier changes: of `files`, or of all files if `files` is empty.
    pub reverts: bool,
}

event!(
    ToolCalled,
    "tool.called",
    1,
    Internal,
    "A model asked for a tool.",
    ToolCalled {
        turn: sample::turn(),
        session: sample::session(),
        call: "toolu_01".to_owned(),
        name: "Edit".to_owned(),
        side_effect: SideEffect::Write,
        extensions: vec![".rs".to_owned()],
        directories: vec!["src".to_owned()],
        files: vec![0x5eed_cafe],
        reverts: false,
    }
);

/// Outcome of a tool call, as reported by the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// The tool succeeded.
    Succeeded,
    /// The tool reported an error.
    Failed,
    /// The user interrupted or declined the call.
    Interrupted,
}

/// Event: a tool call ended, and its result was sent to the model. Contains the extensions of the files that the result
/// names, but not its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFinished {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Id of the tool call, as in `tool.called`.
    pub call: String,
    /// Outcome of the call.
    pub outcome: ToolOutcome,
    /// Length of the result in bytes.
    pub output_bytes: u64,
    /// Extensions of the file paths in the result, in lower case, with the dot.
    pub extensions: Vec<String>,
}

event!(
    ToolFinished,
    "tool.finished",
    1,
    Internal,
    "A tool is done.",
    ToolFinished {
        turn: sample::turn(),
        session: sample::session(),
        call: "toolu_01".to_owned(),
        outcome: ToolOutcome::Succeeded,
        output_bytes: 1_204,
        extensions: vec![".rs".to_owned()],
    }
);
