//! Earlier layouts of events about tools.

use serde::{Deserialize, Serialize};

use crate::{
    SessionId, SideEffect, TurnId,
    events::{ToolCalled, event, sample},
};

/// `tool.called` as it was first: it did not say which files, nor whether something was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `ToolCalled`")]
pub struct ToolCalledV1 {
    pub turn: TurnId,
    pub session: SessionId,
    pub call: String,
    pub name: String,
    pub side_effect: SideEffect,
    pub extensions: Vec<String>,
    pub directories: Vec<String>,
}

impl From<ToolCalledV1> for ToolCalled {
    fn from(old: ToolCalledV1) -> Self {
        Self {
            turn: old.turn,
            session: old.session,
            call: old.call,
            name: old.name,
            side_effect: old.side_effect,
            extensions: old.extensions,
            directories: old.directories,
            files: Vec::new(),
            reverts: false,
        }
    }
}

event!(
    ToolCalledV1,
    "tool.called",
    1,
    Internal,
    "A model asked for a tool; the first layout, no longer written.",
    ToolCalledV1 {
        turn: sample::turn(),
        session: sample::session(),
        call: "toolu_01".to_owned(),
        name: "Edit".to_owned(),
        side_effect: SideEffect::Write,
        extensions: vec![".rs".to_owned()],
        directories: vec!["src".to_owned()],
    }
);
