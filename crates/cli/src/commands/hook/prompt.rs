//! The answer to a message that the user of Claude Code submits: which skill fits.

use std::path::{Path, PathBuf};

use client_formats::user_text::{UserText, classify};
use serde::Deserialize;
use skill_files::SkillRoot;
use skills::{SkillRequest, decide};

use super::{skill_cache::SkillCache, suggestion::suggestion};
use crate::{
    arguments::SkillPlaces, client_input::read_client_input, commands::skills::Loaded, context::Context,
    failure::Failure,
};

/// The JSON that Claude Code writes when the user submits a message, with the fields that are used.
#[derive(Debug, Deserialize)]
struct Input {
    /// The working folder of Claude Code.
    cwd: PathBuf,
    /// The message, as the user typed it.
    prompt: String,
}

/// The answer of the hook.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// The text for the model; `None` if there is nothing to suggest.
    pub(super) suggestion: Option<String>,
    /// What did not work, as a sentence; `None` if all did. There can be a suggestion as well.
    pub(super) problem: Option<String>,
}

impl Answer {
    /// Creates the answer of a hook that could not decide.
    pub(super) fn failed(problem: String) -> Self {
        Self { suggestion: None, problem: Some(problem) }
    }
}

/// Reads a message from the standard input and decides which skills it loads.
pub(super) fn answer(context: &Context) -> Answer {
    let input = match read_client_input::<Input>() {
        Ok(input) => input,
        Err(cause) => return Answer::failed(format!("the input of the hook cannot be used: {cause}")),
    };
    let Some(text) = typed_text(&input.prompt) else { return Answer::default() };
    let workspace = workspace(&input.cwd);
    decide_in(context, &workspace, text).unwrap_or_else(|failure| {
        Answer::failed(failure.message().unwrap_or("the decision about skills failed").to_owned())
    })
}

/// Returns the part of a message that the user typed; `None` if Claude Code wrote the message itself, such as the report of a
/// background task.
fn typed_text(prompt: &str) -> Option<&str> {
    match classify(prompt, None) {
        UserText::Typed(range) => prompt.get(range),
        _ => None,
    }
}

/// Returns the folder of the project, which Claude Code states to its hooks. `cwd` is used without it; it differs once a
/// command has changed the folder.
fn workspace(cwd: &Path) -> PathBuf {
    let project = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    project.filter(|project| project.is_absolute()).unwrap_or_else(|| cwd.to_owned())
}

/// Decides which skills a message loads in a workspace, with the skills that Claude Code can load.
fn decide_in(context: &Context, workspace: &Path, text: &str) -> Result<Answer, Failure> {
    let places = SkillPlaces { workspace: Some(workspace.to_owned()), dirs: Vec::new(), table: None };
    let mut cache = SkillCache::open(&context.home.dir, workspace);
    let loaded = Loaded::read_with(context, &places, &mut cache.reader, is_read_by_claude_code)?;
    let cached = cache.save();
    let (router, findings) = loaded.router_with_findings(&[])?;
    // Nobody sees a question of turnwise here.
    let exclusions = Some(&loaded.stale);
    let request = SkillRequest { text, exclusions, interactive: false, ..SkillRequest::default() };
    let decision = decide(&request, &router);
    let problem = cached.err().or_else(|| findings.first().map(ToString::to_string));
    Ok(Answer { suggestion: suggestion(&decision, loaded.index()), problem })
}

/// Returns whether Claude Code loads skills from a folder: `.claude/skills` and the folders of its plugins.
fn is_read_by_claude_code(root: &SkillRoot) -> bool {
    root.plugin.is_some() || root.dir.ends_with(".claude/skills")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_user_typed_is_decided() {
        assert_eq!(typed_text("<system-reminder>\nuse deploy\n</system-reminder>\n\nfix it"), Some("fix it"));
        for text in ["", "  ", "<task-notification>\n<task-id>1", "<command-name>/deploy</command-name>"] {
            assert_eq!(typed_text(text), None, "{text}");
        }
    }
}
