//! The first hour of a new user: every command of the README in an empty home, on recorded sessions, and then the
//! gateway, to which the user messages of those sessions are sent, and the first messages in Claude Code and Codex.

mod agreement;
mod conversation;
mod effect;

use std::{path::Path, process::Command};

use crate::{
    clients::{
        first_messages,
        programs::{self, start_gateway, start_mock, turnwise_command},
    },
    failure::{Failure, Outcome},
    passed::Passed,
    program, workspace,
};
use conversation::Conversation;
use effect::RuleEffect;

/// A policy with a rule that matches every message, to count the messages on which a rule takes effect.
const EVERY_MESSAGE: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: default }\nrules:\n  \
    - name: \"every message\"\n    when: { message_matches: \"(?s).\" }\n    use: haiku\n";

/// The least share of matched messages on which a rule must take effect, in per cent.
const LEAST_EFFECT: usize = 95;

/// Runs the commands that a new user runs in the first hour, on a folder of sessions in the layout of
/// `~/.claude/projects`, and then sends their messages through the gateway. `skip_build` uses programs built earlier.
pub(crate) fn run(sessions: &Path, skip_build: bool) -> Outcome<Passed> {
    if !skip_build {
        programs::build(true)?;
    }
    let user = workspace::temporary_folder()?;
    copy_sessions(sessions, &user.path().join(".claude/projects"))?;
    let home = user.path().join(".turnwise");
    for arguments in COMMANDS {
        show(user.path(), &home, arguments)?;
    }
    let files = workspace::list_files(sessions)?;
    let files = files.iter().filter(|path| path.extension().is_some_and(|kind| kind == "jsonl"));
    let conversations = files.map(|path| Conversation::read(path)).collect::<Outcome<Vec<_>>>()?;
    let starter = workspace::read_file(&home.join("routing.yaml"))?;
    let mut notes = Vec::new();
    let policies = [("the starter policy", starter.as_str()), ("a rule for every message", EVERY_MESSAGE)];
    let mut measurements: Vec<(tempfile::TempDir, RuleEffect)> = Vec::new();
    for (name, policy) in policies {
        let home = workspace::temporary_folder()?;
        let effect = measure(&conversations, policy, home.path())?;
        println!("\n{name}:\n{effect}");
        if effect.percent() < LEAST_EFFECT {
            return Err(Failure::new(format!(
                "{name}: rules took effect on {} % of the matched messages, less than {LEAST_EFFECT} %",
                effect.percent()
            )));
        }
        notes.push(format!(
            "{name}: {} of {} matched messages of {}",
            effect.effective, effect.matched, effect.messages
        ));
        measurements.push((home, effect));
    }
    let mut compared_turns = 0;
    for (home, recorded) in &measurements {
        for ((_, policy), (_, chosen)) in policies.iter().zip(&measurements) {
            compared_turns += agreement::check_agreement(home.path(), policy, &recorded.turns, &chosen.models)?;
        }
    }
    println!("\nbacktest and gateway agree on {compared_turns} turns");
    notes.push(format!("backtest and gateway agree on {compared_turns} turns"));
    notes.extend(first_messages::run()?);
    Ok(Passed::with_note(notes.join("; ")))
}

/// The commands that a new user runs before the gateway, in order.
const COMMANDS: [&[&str]; 5] = [&["init"], &["rules", "check"], &["import", "claude-code"], &["cost"], &["backtest"]];

/// Runs one command of turnwise with `user` as the user's home folder, and prints its output.
fn show(user: &Path, home: &Path, arguments: &[&str]) -> Outcome {
    let mut command = turnwise_command(home);
    command.args(arguments).env("HOME", user).env("ANTHROPIC_API_KEY", "key-of-the-mock").env("TZ", "UTC");
    for name in ["OPENAI_API_KEY", "GEMINI_API_KEY", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
        command.env_remove(name);
    }
    println!("\n$ turnwise {}", arguments.join(" "));
    println!("{}", program::capture_output(&mut command)?.trim_end());
    Ok(())
}

/// Sends the user messages of all conversations through a gateway with a policy and the folder `home`, in front of the
/// mock provider.
fn measure(conversations: &[Conversation], policy: &str, home: &Path) -> Outcome<RuleEffect> {
    workspace::write_file(&home.join("routing.yaml"), policy)?;
    let mock = start_mock(&[])?;
    let gateway = start_gateway(home, &mock)?;
    let effect = RuleEffect::measure(conversations, &gateway)?;
    gateway.stop()?;
    Ok(effect)
}

/// Copies a folder of sessions.
fn copy_sessions(from: &Path, to: &Path) -> Outcome {
    let parent = to.parent().unwrap_or(to);
    std::fs::create_dir_all(parent).map_err(|error| Failure::file("create", parent, &error))?;
    program::execute(Command::new("cp").arg("-R").arg(from).arg(to))
}
