//! A call of a tool as any client makes it: what it does to the world, and which files it names.

use std::collections::BTreeSet;

use contracts::SideEffect;

use crate::{claude_code, codex};

/// What a call of a tool says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLook {
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

/// What a call of a tool with these arguments, as JSON, says about itself. The tools of a client nobody here knows name
/// no files and do nothing.
pub fn look(name: &str, arguments: &str, workspace: Option<&str>) -> ToolLook {
    let name = usual_name(name);
    let side_effect = match claude_code::side_effect(name) {
        SideEffect::None => codex::tools::side_effect(name, arguments),
        known => known,
    };
    let (mut places, mut touched) = claude_code::files(name, arguments, workspace);
    let others = codex::tools::places(name, arguments, workspace);
    places.extensions.extend(others.extensions);
    places.directories.extend(others.directories);
    let more = codex::tools::touched(arguments, workspace);
    touched.files.extend(more.files);
    touched.reverts |= more.reverts;
    ToolLook {
        side_effect,
        extensions: places.extensions,
        directories: places.directories,
        files: touched.files,
        reverts: touched.reverts,
    }
}

/// The name under which the same tool is known elsewhere: opencode and Gemini's client have their own.
fn usual_name(name: &str) -> &str {
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

    use super::look;

    #[test]
    fn the_same_work_looks_the_same_whichever_client_does_it() {
        let shop = Some("/shop");
        let looks = [
            look("Edit", r#"{"file_path":"/shop/src/a.rs","old_string":"a"}"#, shop),
            look("edit", r#"{"filePath":"/shop/src/a.rs","oldString":"a"}"#, shop),
            look("replace", r#"{"file_path":"/shop/src/a.rs"}"#, shop),
        ];
        for seen in &looks {
            assert_eq!(seen.side_effect, SideEffect::Write);
            assert_eq!((&seen.extensions, &seen.files), (&looks[0].extensions, &looks[0].files));
            assert_eq!(seen.files.len(), 1);
        }
        let patch = look("apply_patch", "*** Begin Patch\n*** Update File: src/a.rs\n*** End Patch", shop);
        assert_eq!((patch.side_effect, &patch.files), (SideEffect::Write, &looks[0].files));
        let back = look("bash", r#"{"command":"git checkout -- src/a.rs"}"#, shop);
        assert_eq!((back.side_effect, back.reverts, &back.files), (SideEffect::Execute, true, &looks[0].files));
    }

    #[test]
    fn a_tool_nobody_knows_does_nothing_and_hostile_arguments_do_no_harm() {
        for arguments in ["", "{", "[]", "null", r#"{"file_path":7}"#, &"[".repeat(10_000)] {
            let seen = look("frobnicate", arguments, None);
            assert_eq!((seen.side_effect, seen.files.len(), seen.reverts), (SideEffect::None, 0, false));
        }
    }
}
