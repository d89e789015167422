//! What the tools of a session have touched.

use std::collections::BTreeSet;

use contracts::{SideEffect, events::ToolCalled};
use serde::{Deserialize, Serialize};

/// The most names a session's history keeps of each kind: later ones are dropped.
const MOST_NAMES: usize = 64;

/// What the tools of a session have touched so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Calls of tools.
    pub tool_calls: u64,
    /// Extensions of files, lower case, with the dot.
    pub extensions: BTreeSet<String>,
    /// Top-level directories of files, inside the workspace.
    pub directories: BTreeSet<String>,
    /// Names of tools.
    pub tools: BTreeSet<String>,
    /// What they do to the world.
    pub side_effects: BTreeSet<SideEffect>,
}

impl History {
    /// This history and another one.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.tool_calls = self.tool_calls.saturating_add(other.tool_calls);
        self.extensions.extend(other.extensions.iter().cloned());
        self.directories.extend(other.directories.iter().cloned());
        self.tools.extend(other.tools.iter().cloned());
        self.side_effects.extend(&other.side_effects);
    }

    pub(super) fn add(&mut self, tool: &ToolCalled) {
        self.tool_calls = self.tool_calls.saturating_add(1);
        extend(&mut self.extensions, &tool.extensions);
        extend(&mut self.directories, &tool.directories);
        extend(&mut self.tools, std::slice::from_ref(&tool.name));
        self.side_effects.insert(tool.side_effect);
    }
}

fn extend(names: &mut BTreeSet<String>, more: &[String]) {
    for name in more {
        if names.len() < MOST_NAMES && !names.contains(name) {
            names.insert(name.clone());
        }
    }
}
