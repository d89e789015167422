//! What Claude Code's tools do to the world, and which files a call names.

use contracts::SideEffect;
use serde::Deserialize;

use crate::session_file::{Places, Text};

/// What a tool does to the world; tools of MCP servers count as talking to the network.
pub(super) fn side_effect(name: &str) -> SideEffect {
    match name {
        "Bash" | "KillShell" | "KillBash" | "PowerShell" => SideEffect::Execute,
        "Read" | "Grep" | "Glob" | "LS" | "NotebookRead" | "LSP" => SideEffect::Read,
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => SideEffect::Write,
        "WebFetch" | "WebSearch" => SideEffect::Network,
        _ if name.starts_with("mcp__") => SideEffect::Network,
        _ => SideEffect::None,
    }
}

/// The arguments that name files, in any of the tools.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Input<'a> {
    #[serde(borrow)]
    file_path: Text<'a>,
    #[serde(borrow)]
    notebook_path: Text<'a>,
    #[serde(borrow)]
    path: Text<'a>,
    #[serde(borrow)]
    glob: Text<'a>,
    #[serde(borrow)]
    pattern: Text<'a>,
}

/// The files a call of a tool names. Shell lines are not searched for names.
pub(super) fn places(name: &str, input: &str, workspace: Option<&str>) -> Places {
    let mut places = Places::default();
    // Arguments that are not an object name no files.
    let input: Input<'_> = serde_json::from_str(input).unwrap_or_default();
    for file in [&input.file_path, &input.notebook_path] {
        if let Some(path) = file.get() {
            places.add(path, workspace, true);
        }
    }
    // Glob's pattern is a path, Grep's is a regular expression.
    let pattern = if name == "Glob" { input.pattern.get() } else { None };
    for path in [input.path.get(), input.glob.get(), pattern].into_iter().flatten() {
        places.add(path, workspace, false);
    }
    places
}
