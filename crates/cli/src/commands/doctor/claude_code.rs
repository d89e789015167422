//! Checks the status line and the hook of turnwise in the settings of Claude Code.

use std::path::{Path, PathBuf};

use event_bus::{Clock as _, SystemClock};
use event_core::Timestamp;
use serde_json::Value;

use super::finding::{Finding, short_path};
use crate::{
    commands::{
        hook::{RecordedProblem, last_problem},
        init::{find_prompt_hooks, find_status_line, is_own_status_line, program_of, user_settings},
    },
    context::Context,
    machine::{find_member, find_program},
    screen::count_noun,
};

/// The time after which a problem of a hook is no longer reported, in microseconds: a day.
const REPORTED_MICROS: u64 = 86_400 * 1_000_000;

/// The command that installs the status line and the hook again.
const INSTALL: &str = "turnwise init --claude-code";

/// Returns the findings about the settings of the user and of the project in the current folder, and about the last problem of
/// the hook.
pub(super) fn findings(context: &Context) -> Vec<Finding> {
    let user = context.home.user.as_deref().map(user_settings);
    let project = std::env::current_dir().ok().map(|folder| folder.join(".claude/settings.json"));
    let project = project.filter(|project| user.as_ref() != Some(project));
    let settings = [(user, INSTALL), (project, "turnwise init --claude-code --project")];
    let mut findings = Vec::new();
    let mut has_hook = false;
    for (path, install) in settings {
        let Some(path) = path else { continue };
        let Ok(text) = adapters::read_own_file(&path) else { continue };
        let checked = Settings { context, path, text, install }.check(&mut has_hook);
        findings.extend(checked.unwrap_or_else(|problem| vec![problem]));
    }
    if !has_hook {
        findings.push(Finding::note("Claude Code does not ask turnwise which skill fits a message", INSTALL));
    }
    findings.extend(last_problem(&context.home.dir).and_then(|problem| recent(&problem, SystemClock.now())));
    findings
}

/// A settings file of Claude Code.
struct Settings<'a> {
    /// The environment of the command.
    context: &'a Context,
    /// The path of the file.
    path: PathBuf,
    /// Its content.
    text: String,
    /// The command that installs the hook in this file.
    install: &'static str,
}

impl Settings<'_> {
    /// Returns the findings about the status line and the hook; sets `has_hook` if there is a hook of turnwise.
    ///
    /// # Errors
    /// The finding that the file is no JSON object.
    fn check(&self, has_hook: &mut bool) -> Result<Vec<Finding>, Finding> {
        let shown = short_path(self.context, &self.path);
        let invalid = |cause| Finding::problem(format!("{shown} is no valid JSON: {cause}"), "correct the file");
        let status_line = find_status_line(&self.text).map_err(invalid)?.filter(is_own_status_line);
        let hooks = find_prompt_hooks(&self.text).map_err(invalid)?;
        *has_hook |= !hooks.is_empty();
        let mut findings = Vec::new();
        if let Some(status_line) = &status_line {
            let ok = format!("Claude Code has the status line of turnwise ({shown})");
            findings.push(self.command_finding("status line", status_line, ok));
        }
        for hook in &hooks {
            let ok = format!("Claude Code asks turnwise which skill fits a message ({shown})");
            findings.push(self.command_finding("hook", hook, ok));
        }
        let is_off = find_member(&self.text, "disableAllHooks").map_err(invalid)?;
        if !hooks.is_empty() && is_off.is_some_and(|member| member.value == Value::Bool(true)) {
            let text = format!("`disableAllHooks` in {shown} switches the hook of turnwise off");
            findings.push(Finding::note(text, "remove the setting"));
        }
        Ok(findings)
    }

    /// Returns whether the program that a status line or hook runs exists; `ok` is the text if it does. A program without a
    /// path must be on the PATH.
    fn command_finding(&self, noun: &str, value: &Value, ok: String) -> Finding {
        let command = value["command"].as_str().unwrap_or_default();
        let missing = match program_of(command) {
            Some(program) => (!program.exists()).then(|| program.display().to_string()),
            None if command.starts_with("turnwise ") && find_program("turnwise").is_none() => {
                Some("turnwise".to_owned())
            }
            None => None,
        };
        match missing {
            Some(program) if Path::new(&program).is_absolute() => {
                let text = format!("the {noun} of Claude Code runs {program}, which does not exist");
                Finding::problem(text, self.install)
            }
            Some(program) => Finding::note(
                format!("the {noun} of Claude Code runs {program}, which is not on the PATH"),
                "put the program into a folder of the PATH",
            ),
            None => Finding::ok(ok),
        }
    }
}

/// Returns the finding about a problem of the hook within the last day; `None` if it is older.
fn recent(problem: &RecordedProblem, now: Timestamp) -> Option<Finding> {
    let age = now.0.saturating_sub(problem.at.0);
    let minutes = count_noun(age / 60_000_000, "minute");
    let text = format!("the hook had a problem {minutes} ago: {}", problem.message);
    (age < REPORTED_MICROS).then(|| Finding::note(text, "turnwise rules check, turnwise skills lint"))
}
