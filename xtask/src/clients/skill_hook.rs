//! The hook of turnwise in Claude Code: a message that matches a skill reaches the provider with the suggestion of that skill,
//! and another message without one.

use std::{path::Path, process::Command};

use serde_json::Value;

use super::{
    ClientEnvironment, POLICY, answered_bodies, check_message, claude_code, create_folders,
    log::Log,
    programs::{self, RunningProgram, turnwise_command},
};
use crate::{
    failure::{Failure, Outcome},
    program::capture_output,
    workspace,
};

/// A skill of the project with a keyword.
const SKILL: &str = "---\nname: deploy\ndescription: Deploys services to Kubernetes. Use when releasing.\nkeywords: [roll out]\n---\n\
                     # Deploy\nTag the release.\n";

/// The start of the text that the hook adds to a message that contains the keyword.
const SUGGESTION: &str =
    "turnwise suggests the skill `deploy` for this message: the message contains 1 of its keywords.";

/// A message that contains the keyword.
const MATCHING: &str = "roll out version 2";

/// A message that no skill matches.
const OTHER: &str = "say hello to the team";

/// Installs the hook with `turnwise init --claude-code`, runs Claude Code with a message for a skill and with another one, and
/// checks the requests at the mock provider. Then removes the hook. Returns a summary.
pub(super) fn run(client: &Path, folder: &Path) -> Outcome<String> {
    let [home, project, client_home] = create_folders(folder)?;
    workspace::write_file(&home.join("routing.yaml"), POLICY)?;
    let skill = project.join(".claude/skills/deploy");
    std::fs::create_dir_all(&skill).map_err(|error| Failure::file("create", &skill, &error))?;
    workspace::write_file(&skill.join("SKILL.md"), SKILL)?;
    let mock = programs::start_mock(&["--keep"])?;
    let gateway = programs::start_gateway(&home, &mock)?;
    let environment = ClientEnvironment { home: &client_home, project: &project, url: &gateway.url };
    capture_output(init_command(&home, &environment).arg("--claude-code"))?;
    let check_result = check_messages(client, &environment, &mock);
    check_result.map_err(|failure| Failure::new(format!("skill hook: {failure}{}", super::diagnosis(&home, &mock))))?;
    capture_output(init_command(&home, &environment).args(["--claude-code", "--remove"]))?;
    let settings = client_home.join("claude/settings.json");
    if settings.exists() {
        return Err(Failure::new(format!("`{}` exists after `--remove`", settings.display())));
    }
    gateway.stop()?;
    check_log(&Log::export(&home)?)?;
    let summary = "the hook suggests the skill of a message, and each message has one skill decision";
    println!("clients: claude: {summary}");
    Ok(summary.to_owned())
}

/// Creates a `turnwise init` command for the settings of the client.
fn init_command(home: &Path, environment: &ClientEnvironment<'_>) -> Command {
    let mut command = turnwise_command(home);
    command.arg("init").env("HOME", environment.home).env("CLAUDE_CONFIG_DIR", environment.home.join("claude"));
    command
}

/// Runs Claude Code with both messages and checks which of them reached the provider with the suggestion.
fn check_messages(client: &Path, environment: &ClientEnvironment<'_>, mock: &RunningProgram) -> Outcome {
    for (message, is_suggested) in [(MATCHING, true), (OTHER, false)] {
        let session = claude_code::continue_session(client, environment, None, message)?;
        check_message(&session, message, |text| !text.is_empty())?;
        let with_message: Vec<Value> = answered_bodies(mock)?
            .iter()
            .filter_map(|body| serde_json::from_str(body).ok())
            .filter(|body: &Value| message_texts(body).iter().any(|text| text.trim() == message))
            .collect();
        let with_suggestion =
            with_message.iter().filter(|body| message_texts(body).iter().any(|text| text.contains(SUGGESTION)));
        let with_suggestion = with_suggestion.count();
        if with_message.is_empty() || (0 < with_suggestion) != is_suggested {
            return Err(Failure::new(format!(
                "of {} requests with the message {message:?}, {with_suggestion} have the suggestion of the skill",
                with_message.len()
            )));
        }
    }
    Ok(())
}

/// Checks that each of the two messages has exactly one skill decision, which the hook made and its turn uses.
fn check_log(log: &Log) -> Outcome {
    let modes: Vec<_> = log.payloads("skill.routed").filter_map(|event| event["mode"].as_str()).collect();
    let sessions = log.count_by("skill.routed", "session").len();
    let reuse_count = log.payloads("skill.reused").count();
    if modes == ["hook", "hook"] && sessions == 2 && reuse_count == 2 {
        return Ok(());
    }
    Err(Failure::new(format!(
        "skill hook: two messages have the skill decisions {modes:?} in {sessions} sessions, of which turns use {reuse_count}"
    )))
}

/// Returns the texts of all messages in a request. Claude Code sends what a hook adds in a message with the role `system`.
fn message_texts(body: &Value) -> Vec<&str> {
    let messages = body["messages"].as_array().into_iter().flatten();
    messages
        .flat_map(|message| match &message["content"] {
            Value::String(text) => vec![text.as_str()],
            content => {
                let blocks = content.as_array().into_iter().flatten();
                blocks.filter_map(|block| block["text"].as_str()).collect()
            }
        })
        .collect()
}
