//! The files and tools that a session has used.

use std::collections::BTreeSet;

use contracts::{
    SideEffect,
    events::{ToolCalled, ToolFinished},
};
use serde::{Deserialize, Serialize};

/// The maximum number of names of each kind (extensions, directories, tools) in a session's history; later ones are
/// dropped to limit the size of the state.
const MAX_NAMES: usize = 64;

/// The files and tools that a session has used so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// The number of tool calls.
    pub tool_calls: u64,
    /// Extensions of files, in lower case with the dot.
    pub extensions: BTreeSet<String>,
    /// Top-level folders of files, relative to the workspace.
    pub directories: BTreeSet<String>,
    /// Names of tools.
    pub tools: BTreeSet<String>,
    /// The side effects of the tools.
    pub side_effects: BTreeSet<SideEffect>,
}

impl History {
    /// Adds the tool calls and names of another history to this one. The result may have more than [`MAX_NAMES`] names
    /// of a kind.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.tool_calls = self.tool_calls.saturating_add(other.tool_calls);
        self.extensions.extend(other.extensions.iter().cloned());
        self.directories.extend(other.directories.iter().cloned());
        self.tools.extend(other.tools.iter().cloned());
        self.side_effects.extend(&other.side_effects);
    }

    /// Adds a tool call to the history, with names up to [`MAX_NAMES`] of each kind.
    pub(super) fn add(&mut self, tool: &ToolCalled) {
        self.tool_calls = self.tool_calls.saturating_add(1);
        add_names(&mut self.extensions, &tool.extensions);
        add_names(&mut self.directories, &tool.directories);
        add_names(&mut self.tools, std::slice::from_ref(&tool.name));
        self.side_effects.insert(tool.side_effect);
    }

    /// Adds the extensions of the files that a tool result names to the history, up to [`MAX_NAMES`].
    pub(super) fn add_result(&mut self, tool: &ToolFinished) {
        add_names(&mut self.extensions, &tool.extensions);
    }
}

/// Adds names to a set until it has [`MAX_NAMES`]; drops the others.
fn add_names(names: &mut BTreeSet<String>, more: &[String]) {
    for name in more {
        if names.len() < MAX_NAMES && !names.contains(name) {
            names.insert(name.clone());
        }
    }
}
