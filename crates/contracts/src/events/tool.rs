//! Events about tools.

use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{SessionId, SideEffect, TurnId};

/// A model asked for a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCalled {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// The call, as the client names it.
    pub call: String,
    /// The name of the tool.
    pub name: String,
    /// What the tool does to the world.
    pub side_effect: SideEffect,
    /// Extensions of the files it names, lower case, with the dot.
    pub extensions: Vec<String>,
    /// Top-level directories of the files it names, inside the workspace.
    pub directories: Vec<String>,
    /// The files it writes or takes back, each by the start of the hash of its path.
    pub files: Vec<u32>,
    /// Whether it takes back what was written: those files, or everything when it names none.
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

/// How a tool fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// It did its work.
    Succeeded,
    /// It reported an error.
    Failed,
    /// The user stopped it or declined it.
    Interrupted,
}

/// A tool is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFinished {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// The call, as in `tool.called`.
    pub call: String,
    /// How it fared.
    pub outcome: ToolOutcome,
    /// Bytes of its result.
    pub output_bytes: u64,
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
    }
);
