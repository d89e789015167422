//! Classifies a tool call of any client: its side effect and the files in its arguments.

use std::collections::{BTreeMap, BTreeSet};

use contracts::SideEffect;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{claude_code, codex, session_file::PathFeatures};

/// The classification of a tool call: its side effect and the files it accesses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolClass {
    /// Kind of side effect.
    pub side_effect: SideEffect,
    /// Extensions of the files in the arguments, in lower case, with the dot.
    pub extensions: BTreeSet<String>,
    /// Top-level directories of the files in the arguments, inside the workspace.
    pub directories: BTreeSet<String>,
    /// Files that the call writes or reverts, each as the first 32 bits of the hash of its path.
    pub files: BTreeSet<u32>,
    /// Whether the call reverts earlier changes: of `files`, or of all files if `files` is empty.
    pub reverts: bool,
    /// The skill that the call loads; `None` for a call of another tool.
    pub skill: Option<String>,
}

/// Classifies a tool call by its name and its arguments, which are JSON or a patch. Unknown tools have no side effect; the
/// files of their calls are those of arguments whose names end with `path`, `file` or `filename`, or their plurals.
pub fn classify_tool_call(name: &str, arguments: &str, workspace: Option<&str>) -> ToolClass {
    let name = canonical_name(name);
    let side_effect = match claude_code::side_effect(name) {
        SideEffect::None => codex::tools::side_effect(name, arguments),
        known => known,
    };
    let (mut path_features, mut file_effects) = claude_code::files(name, arguments, workspace);
    let codex_features = codex::tools::path_features(name, arguments, workspace);
    path_features.extensions.extend(codex_features.extensions);
    path_features.directories.extend(codex_features.directories);
    if side_effect == SideEffect::None || name.starts_with("mcp__") {
        add_argument_paths(&mut path_features, arguments, workspace);
    }
    let codex_effects = codex::tools::file_effects(arguments, workspace);
    file_effects.files.extend(codex_effects.files);
    file_effects.reverts |= codex_effects.reverts;
    ToolClass {
        side_effect,
        extensions: path_features.extensions,
        directories: path_features.directories,
        files: file_effects.files,
        reverts: file_effects.reverts,
        skill: loaded_skill(name, arguments),
    }
}

/// The tools that load a skill: of Claude Code, and of opencode.
const SKILL_TOOLS: [&str; 2] = ["Skill", "skill"];
/// The members of their arguments that name the skill: of Claude Code, of its earlier versions, and of opencode.
const SKILL_MEMBERS: [&str; 3] = ["skill", "command", "name"];
/// Maximum length of a skill's name in bytes; a longer text is not a name.
const MAX_SKILL_BYTES: usize = 128;

/// Returns the skill that a tool call loads, without a leading slash; `None` for a call of another tool, and if the arguments
/// name no skill.
fn loaded_skill(name: &str, arguments: &str) -> Option<String> {
    if !SKILL_TOOLS.contains(&name) {
        return None;
    }
    let members = serde_json::from_str::<BTreeMap<String, Value>>(arguments).ok()?;
    let skill = SKILL_MEMBERS.iter().find_map(|member| members.get(*member)?.as_str())?;
    let skill = skill.trim().trim_start_matches('/');
    let is_name = !skill.is_empty() && skill.len() <= MAX_SKILL_BYTES && !skill.contains(char::is_control);
    is_name.then(|| skill.to_owned())
}

/// Maximum number of paths that are taken from the arguments of one unknown tool.
const MAX_ARGUMENT_PATHS: usize = 32;

/// Adds the paths in the arguments of an unknown tool to `path_features`: texts, or lists of texts, in members such as
/// `path`, `inputFile` or `file_names`. Arguments that are not a JSON object contain none.
fn add_argument_paths(path_features: &mut PathFeatures, arguments: &str, workspace: Option<&str>) {
    let Ok(members) = serde_json::from_str::<BTreeMap<String, Value>>(arguments) else { return };
    let texts = members.iter().filter(|(name, _)| is_path_argument(name)).flat_map(|(_, value)| match value {
        Value::String(text) => vec![text.as_str()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    });
    // A path has neither line breaks nor the length of a text.
    let is_path = |text: &&str| !text.is_empty() && text.len() <= MAX_PATH_BYTES && !text.contains(char::is_control);
    for path in texts.filter(is_path).take(MAX_ARGUMENT_PATHS) {
        path_features.add(path, workspace, false);
    }
}

/// Maximum length of a path in an argument, in bytes; a longer text is not a path.
const MAX_PATH_BYTES: usize = 1_000;

/// Returns whether the name of an argument of an unknown tool indicates a path.
fn is_path_argument(name: &str) -> bool {
    let name: String = name.chars().filter(|c| *c != '_' && *c != '-').flat_map(char::to_lowercase).collect();
    let name = name.strip_suffix('s').unwrap_or(&name);
    ["path", "file", "filename"].iter().any(|end| name.ends_with(end))
}

/// Returns Claude Code's name of a tool for the names that opencode and the Gemini CLI use; other names are unchanged.
fn canonical_name(name: &str) -> &str {
    match name {
        "bash" | "run_shell_command" => "Bash",
        "edit" | "replace" | "multiedit" => "Edit",
        "write" | "write_file" => "Write",
        "read" | "read_many_files" => "Read",
        "glob" | "list" | "list_directory" => "Glob",
        "grep" | "search_file_content" => "Grep",
        "webfetch" | "web_fetch" => "WebFetch",
        "google_web_search" => "WebSearch",
        "task" => "Task",
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use contracts::SideEffect;

    use super::classify_tool_call;

    #[test]
    fn the_same_work_looks_the_same_whichever_client_does_it() {
        let shop = Some("/shop");
        let classes = [
            classify_tool_call("Edit", r#"{"file_path":"/shop/src/a.rs","old_string":"a"}"#, shop),
            classify_tool_call("edit", r#"{"filePath":"/shop/src/a.rs","oldString":"a"}"#, shop),
            classify_tool_call("replace", r#"{"file_path":"/shop/src/a.rs"}"#, shop),
        ];
        for seen in &classes {
            assert_eq!(seen.side_effect, SideEffect::Write);
            assert_eq!((&seen.extensions, &seen.files), (&classes[0].extensions, &classes[0].files));
            assert_eq!(seen.files.len(), 1);
        }
        let patch =
            classify_tool_call("apply_patch", "*** Begin Patch\n*** Update File: src/a.rs\n*** End Patch", shop);
        assert_eq!((patch.side_effect, &patch.files), (SideEffect::Write, &classes[0].files));
        let back = classify_tool_call("bash", r#"{"command":"git checkout -- src/a.rs"}"#, shop);
        assert_eq!((back.side_effect, back.reverts, &back.files), (SideEffect::Execute, true, &classes[0].files));
    }

    #[test]
    fn the_files_of_an_unknown_tool_are_those_of_its_path_arguments() {
        let extensions = |arguments: &str| -> Vec<String> {
            classify_tool_call("frobnicate", arguments, Some("/shop")).extensions.into_iter().collect()
        };
        assert_eq!(extensions(r#"{"path":"/shop/a.sql"}"#), [".sql"]);
        assert_eq!(extensions(r#"{"inputFile":"db/b.SQL","text":"see c.py"}"#), [".sql"]);
        assert_eq!(extensions(r#"{"file_names":["a.rs","b.toml",3]}"#), [".rs", ".toml"]);
        for none in
            [r#"{"profile_id":"a.rs"}"#, r#"{"path":"first line.rs\nsecond"}"#, r#"{"path":{"a":"b.rs"}}"#, "[]"]
        {
            assert!(extensions(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn a_tool_nobody_knows_does_nothing_and_hostile_arguments_do_no_harm() {
        for arguments in ["", "{", "[]", "null", r#"{"file_path":7}"#, &"[".repeat(10_000)] {
            let seen = classify_tool_call("frobnicate", arguments, None);
            assert_eq!((seen.side_effect, seen.files.len(), seen.reverts), (SideEffect::None, 0, false));
        }
    }
}
