//! `hook`: answers the hooks of Claude Code.

mod installed_skill;
mod problem;
mod prompt;
mod quick_file;
mod recording;
mod skill_cache;
mod spool;
mod suggestion;

use std::time::Duration;

use serde_json::json;

use super::init::user_has_hook;
use crate::{arguments::HookCommand, context::Context, screen, time_limit::within};

use problem::record_problem;
pub(crate) use problem::{RecordedProblem, last_problem};
pub(crate) use recording::{record_before_report, record_kept_decisions};

/// The longest time that the hook takes. Claude Code waits for it before it sends the message.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// Executes a subcommand of `hook`. A problem is recorded for `turnwise doctor` and never reported to Claude Code, which
/// would show it to the user or block the message.
pub(crate) fn run(context: &Context, command: HookCommand) {
    let HookCommand::PromptSubmit { project } = command;
    let worker_context = context.clone();
    let answer = within(TIME_LIMIT, move || {
        if project && user_has_hook(&worker_context) {
            prompt::Answer::default()
        } else {
            prompt::answer(&worker_context)
        }
    })
    .unwrap_or_else(|| {
        let seconds = TIME_LIMIT.as_secs();
        prompt::Answer::failed(format!("it took longer than {seconds} seconds to read the skills and to decide"))
    });
    if let Some(text) = answer.suggestion {
        let output = json!({ "hookEventName": "UserPromptSubmit", "additionalContext": text });
        screen::print_line(&json!({ "hookSpecificOutput": output }).to_string());
    }
    if let Some(problem) = answer.problem {
        record_problem(&context.home.dir, &problem);
    }
}
