//! Classifies the tools of Codex and extracts the files in their arguments.

use std::fmt;

use contracts::SideEffect;
use serde::{Deserialize, Deserializer, de};

use crate::session_file::{FileEffects, PathFeatures, Text, add_reverts, lenient, skip_object};

/// First line of a patch in Codex's patch format, in the arguments of the tool `apply_patch` or in a shell line.
const PATCH_START: &str = "*** Begin Patch";

/// Returns the kind of side effect of the tool `name` with the arguments `input`. Tools of MCP servers count as network
/// access, any call with a patch as a write, and unknown tools as none.
pub(crate) fn side_effect(name: &str, input: &str) -> SideEffect {
    if input.contains(PATCH_START) {
        return SideEffect::Write;
    }
    match name {
        "shell" | "shell_command" | "local_shell" | "container.exec" | "unified_exec" | "exec_command"
        | "write_stdin" | "exec" | "js_repl" => SideEffect::Execute,
        "apply_patch" => SideEffect::Write,
        "read_file" | "list_dir" | "grep_files" | "view_image" | "read" => SideEffect::Read,
        "web_search"
        | "image_generation"
        | "list_mcp_resources"
        | "list_mcp_resource_templates"
        | "read_mcp_resource" => SideEffect::Network,
        _ if name.starts_with("mcp__") => SideEffect::Network,
        _ => SideEffect::None,
    }
}

/// The arguments of Codex's tools that contain paths or patches, for all tools together.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Arguments<'a> {
    /// Path of a file.
    #[serde(borrow)]
    file_path: Text<'a>,
    /// Path of a file or folder.
    #[serde(borrow)]
    path: Text<'a>,
    /// Path of a folder.
    #[serde(borrow)]
    dir_path: Text<'a>,
    /// A patch, or other input of a tool.
    #[serde(borrow)]
    input: Text<'a>,
    /// A shell line.
    #[serde(borrow)]
    cmd: Text<'a>,
    /// Folder that a shell line runs in; empty for the workspace.
    #[serde(borrow)]
    workdir: Text<'a>,
    /// A command to run.
    command: Words,
}

/// Returns extensions and top-level folders of the paths in the arguments `input` of the tool `name`: a JSON object, or
/// a patch. Shell lines are searched only for patches. Other arguments contain no paths.
pub(crate) fn path_features(name: &str, input: &str, workspace: Option<&str>) -> PathFeatures {
    let mut path_features = PathFeatures::default();
    if input.contains(PATCH_START) && !input.starts_with('{') {
        add_patch_paths(&mut path_features, input, workspace);
        return path_features;
    }
    // Arguments that are not an object contain no paths.
    let arguments: Arguments<'_> = serde_json::from_str(input).unwrap_or_default();
    for text in [arguments.input.text(), arguments.cmd.text(), &arguments.command.text] {
        if text.contains(PATCH_START) {
            add_patch_paths(&mut path_features, text, workspace);
        }
    }
    if let Some(path) = arguments.file_path.get() {
        path_features.add(path, workspace, true);
    }
    if let Some(path) = arguments.path.get() {
        path_features.add(path, workspace, name == "view_image");
    }
    if let Some(path) = arguments.dir_path.get() {
        path_features.add(path, workspace, false);
    }
    path_features
}

/// Returns the files that a tool call with the arguments `input` changes: files that a patch writes or deletes, or that
/// a shell line reverts.
pub(crate) fn file_effects(input: &str, workspace: Option<&str>) -> FileEffects {
    let mut file_effects = FileEffects::default();
    if input.contains(PATCH_START) && !input.starts_with('{') {
        add_patch_effects(&mut file_effects, input, workspace);
        return file_effects;
    }
    let arguments: Arguments<'_> = serde_json::from_str(input).unwrap_or_default();
    let line = arguments.command.line();
    for text in [arguments.input.text(), arguments.cmd.text(), &line] {
        if text.contains(PATCH_START) {
            add_patch_effects(&mut file_effects, text, workspace);
        } else {
            add_reverts(&mut file_effects, text, arguments.workdir.text(), workspace);
        }
    }
    file_effects
}

/// Adds the files of a patch to `file_effects`. A patch that only deletes files counts as a revert.
fn add_patch_effects(file_effects: &mut FileEffects, patch: &str, workspace: Option<&str>) {
    file_effects.reverts =
        file_headers(patch).all(|(header, _)| header == DELETED_HEADER) && file_headers(patch).next().is_some();
    for (_, path) in file_headers(patch) {
        file_effects.add(path, workspace);
    }
}

/// Adds the paths in the file headers of a patch to `path_features`.
fn add_patch_paths(path_features: &mut PathFeatures, patch: &str, workspace: Option<&str>) {
    for (_, path) in file_headers(patch) {
        path_features.add(path, workspace, true);
    }
}

/// Start of the header line of a deleted file in a patch; the path follows.
const DELETED_HEADER: &str = "*** Delete File: ";

/// Returns the file headers of a patch, in order, each with the path after it.
fn file_headers(patch: &str) -> impl Iterator<Item = (&'static str, &str)> {
    /// Starts of the lines of a patch that contain a path.
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", DELETED_HEADER, "*** Move to: "];
    patch.lines().filter_map(|line| {
        let line = line.trim_start();
        HEADERS.iter().find_map(|header| Some((*header, line.strip_prefix(header)?.trim())))
    })
}

/// A command in the arguments of a tool: one text, or a list of words.
#[derive(Default)]
struct Words {
    /// The text, or the words, each followed by a line feed.
    text: String,
    /// Whether the command was a list of words.
    is_list: bool,
}

impl Words {
    /// Returns the shell line: the argument of `bash -lc`, or the words separated by spaces.
    fn line(&self) -> String {
        if !self.is_list {
            return self.text.clone();
        }
        match self.text.split_once("\n-lc\n").or_else(|| self.text.split_once("\n-c\n")) {
            Some((shell, line)) if shell.ends_with("sh") => line.to_owned(),
            _ => self.text.trim_end().replace('\n', " "),
        }
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordsVisitor;
        impl<'de> de::Visitor<'de> for WordsVisitor {
            lenient!('de, Words, {
                fn visit_bool<E>(self, _: bool) -> Result<Words, E> {
                    Ok(Words::default())
                }

                fn visit_str<E>(self, text: &str) -> Result<Words, E> {
                    Ok(Words { text: text.to_owned(), is_list: false })
                }

                fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Words, A::Error> {
                    let mut words = Words { text: String::new(), is_list: true };
                    while let Some(word) = list.next_element::<Text<'de>>()? {
                        words.text.push_str(word.text());
                        words.text.push('\n');
                    }
                    Ok(words)
                }

                fn visit_map<A: de::MapAccess<'de>>(self, object: A) -> Result<Words, A::Error> {
                    skip_object(object).map(|()| Words::default())
                }
            });
        }
        deserializer.deserialize_any(WordsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use contracts::SideEffect;

    use super::{file_effects, path_features, side_effect};

    /// The files of a patch are found in the arguments of `apply_patch` and in shell lines.
    #[test]
    fn patches_name_their_files_wherever_they_stand() {
        let patch =
            "*** Begin Patch\n*** Update File: src/cart.rs\n*** Move to: lib/basket.py\n@@\n-a\n+b\n*** End Patch";
        let shell = serde_json::json!({ "command": ["bash", "-lc", format!("apply_patch <<'EOF'\n{patch}\nEOF")] });
        let command = serde_json::json!({ "cmd": format!("apply_patch <<'EOF'\n{patch}\nEOF"), "workdir": "/shop" });
        for (name, input) in
            [("apply_patch", patch), ("shell", &shell.to_string()), ("exec_command", &command.to_string())]
        {
            let path_features = path_features(name, input, Some("/shop"));
            assert_eq!(path_features.extensions.into_iter().collect::<Vec<_>>(), [".py", ".rs"], "{name}");
            assert_eq!(path_features.directories.into_iter().collect::<Vec<_>>(), ["lib", "src"], "{name}");
            assert_eq!(side_effect(name, input), SideEffect::Write, "{name}");
        }
    }

    /// Tools that read have the directory of their path; each tool has its kind of side effect.
    #[test]
    fn tools_that_read_name_what_they_read() {
        let path_features = path_features("read_file", r#"{"file_path":"/shop/src/a.go","limit":20}"#, Some("/shop"));
        assert_eq!(path_features.directories.into_iter().collect::<Vec<_>>(), ["src"]);
        assert_eq!(side_effect("read_file", "{}"), SideEffect::Read);
        assert_eq!(side_effect("mcp__wiki__search", "{}"), SideEffect::Network);
        assert_eq!(side_effect("exec_command", "{}"), SideEffect::Execute);
        assert_eq!(side_effect("update_plan", "{}"), SideEffect::None);
    }

    /// A file that a patch writes has the same hash when a shell line or another patch reverts it.
    #[test]
    fn what_a_patch_writes_is_recognised_when_it_is_taken_back() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-a\n+b\n*** End Patch";
        let written = file_effects(patch, Some("/shop"));
        assert_eq!((written.files.len(), written.reverts), (1, false));
        for input in [
            r#"{"command":["bash","-lc","git checkout -- src/a.rs"]}"#,
            r#"{"command":["git","checkout","--","src/a.rs"]}"#,
            r#"{"command":"git checkout -- a.rs","workdir":"/shop/src"}"#,
            r#"{"cmd":"rm src/a.rs"}"#,
            "*** Begin Patch\n*** Delete File: src/a.rs\n*** End Patch",
        ] {
            let back = file_effects(input, Some("/shop"));
            assert_eq!((&back.files, back.reverts), (&written.files, true), "{input}");
        }
    }
}
