//! Classifies the tools of Claude Code and extracts the files in their arguments.

use contracts::SideEffect;
use serde::Deserialize;

use crate::session_file::{FileEffects, PathFeatures, Text, add_reverts};

/// Returns the kind of side effect of the tool `name`. Tools of MCP servers count as network access, and unknown tools
/// as none.
pub(crate) fn side_effect(name: &str) -> SideEffect {
    match name {
        "Bash" | "KillShell" | "KillBash" | "PowerShell" => SideEffect::Execute,
        "Read" | "Grep" | "Glob" | "LS" | "NotebookRead" | "LSP" => SideEffect::Read,
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => SideEffect::Write,
        "WebFetch" | "WebSearch" => SideEffect::Network,
        _ if name.starts_with("mcp__") => SideEffect::Network,
        _ => SideEffect::None,
    }
}

/// The arguments of Claude Code's tools that contain paths, for all tools together.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Input<'a> {
    /// Path of a file.
    #[serde(borrow, alias = "filePath")]
    file_path: Text<'a>,
    /// Path of a notebook.
    #[serde(borrow)]
    notebook_path: Text<'a>,
    /// Path of a file or folder to search.
    #[serde(borrow)]
    path: Text<'a>,
    /// Glob of the files to search.
    #[serde(borrow)]
    glob: Text<'a>,
    /// Glob of `Glob`, or regular expression of `Grep`.
    #[serde(borrow)]
    pattern: Text<'a>,
    /// Shell line of `Bash`.
    #[serde(borrow)]
    command: Text<'a>,
}

/// Returns the files that a tool call accesses, from its arguments `input` (JSON): first the extensions and top-level
/// directories of their paths, then the files that the call writes or that its shell line reverts. Shell lines are not
/// searched for other paths. Arguments that are not a JSON object contain no paths.
pub(crate) fn files(name: &str, input: &str, workspace: Option<&str>) -> (PathFeatures, FileEffects) {
    let (mut path_features, mut file_effects) = (PathFeatures::default(), FileEffects::default());
    // Arguments that are not an object contain no paths.
    let input: Input<'_> = serde_json::from_str(input).unwrap_or_default();
    for path in [input.file_path.get(), input.notebook_path.get()].into_iter().flatten() {
        path_features.add(path, workspace, true);
        if side_effect(name) == SideEffect::Write {
            file_effects.add(path, workspace);
        }
    }
    // The pattern of Glob is a path, that of Grep a regular expression.
    let pattern = if name == "Glob" { input.pattern.get() } else { None };
    for path in [input.path.get(), input.glob.get(), pattern].into_iter().flatten() {
        path_features.add(path, workspace, false);
    }
    if name == "Bash"
        && let Some(line) = input.command.get()
    {
        add_reverts(&mut file_effects, line, "", workspace);
    }
    (path_features, file_effects)
}

#[cfg(test)]
mod tests {
    use super::files;

    /// A file that a tool writes has the same hash when a shell line reverts it; a file that is read has none.
    #[test]
    fn what_is_written_is_recognised_when_it_is_taken_back() {
        let file_effects = |name, input| files(name, input, Some("/shop")).1;
        let edit = file_effects("Edit", r#"{"file_path":"/shop/src/a.rs","old_string":"a"}"#);
        let back = file_effects("Bash", r#"{"command":"git checkout -- src/a.rs"}"#);
        assert_eq!((edit.files.len(), edit.reverts), (1, false));
        assert_eq!((&back.files, back.reverts), (&edit.files, true));
        let read = file_effects("Read", r#"{"file_path":"/shop/src/a.rs"}"#);
        assert!(read.files.is_empty() && !read.reverts);
    }
}
