//! The turns of Claude Code that are run through the gateway.

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    ClientEnvironment, ExpectedLog, Session, answered_bodies, check_message, client_command, programs::RunningProgram,
    run_client,
};
use crate::{
    failure::{Failure, Outcome},
    program::cannot_start,
};

/// A message for which the mock provider calls the tool `Bash`.
pub(super) const BASH_CALL: &str = r#"TOOLCALL:Bash:{"command":"echo hi","description":"say hi"}"#;
/// A message for which the mock provider starts a sub-agent, which calls a tool itself.
pub(super) const AGENT_CALL: &str = r#"TOOLCALL:Agent:{"description":"look","subagent_type":"Explore","prompt":"TOOLCALL:Bash:{\"command\":\"echo sub\",\"description\":\"x\"}"}"#;

/// Runs turns of Claude Code through the gateway: with a tool, with thinking before a tool, with a sub-agent, and with
/// a model override. Returns the expected content of the log. Fails if a last message is not as expected or `@haiku`
/// reaches the provider.
pub(super) fn run(client: &Path, environment: &ClientEnvironment<'_>, mock: &RunningProgram) -> Outcome<ExpectedLog> {
    let mut expected_log = ExpectedLog {
        tools: vec!["Bash", "Bash", "Agent", "Bash", "Bash"],
        models: vec!["anthropic:claude-opus-4-8", "anthropic:claude-haiku-4-5"],
        sub_agent: true,
        ..ExpectedLog::default()
    };
    let after_tool = |text: &str| text == "tool said 2 bytes";
    let tool_turn = run_turn(client, environment, BASH_CALL)?;
    check_message(&tool_turn, "a turn with a tool", after_tool)?;
    let thinking_turn = run_turn(client, environment, &format!("THINK {BASH_CALL}"))?;
    check_message(&thinking_turn, "a turn with thinking and a tool", after_tool)?;
    let agent_turn = run_turn(client, environment, AGENT_CALL)?;
    check_message(&agent_turn, "a turn with a sub-agent", |text| {
        text.starts_with("tool said ") && text.ends_with(" bytes")
    })?;
    let override_turn = run_turn(client, environment, &format!("@haiku {BASH_CALL}"))?;
    check_message(&override_turn, "a turn with a model override", after_tool)?;
    for session in [&tool_turn, &thinking_turn, &agent_turn, &override_turn] {
        expected_log.add(session);
    }
    let with_mention =
        answered_bodies(mock)?.iter().filter(|body| body.contains("@haiku ") && !body.contains("json_schema")).count();
    if with_mention > 0 {
        return Err(Failure::new(format!("`@haiku` was not removed from {with_mention} requests to the provider")));
    }
    Ok(expected_log)
}

/// The time within which Claude Code must show that every model has failed: `timeouts.refusals_ms` and its own start.
const REFUSAL_LIMIT: Duration = Duration::from_secs(30);

/// Runs a turn while the provider answers every request with status 529. Fails unless Claude Code ends with the error of
/// the gateway in time, instead of repeating the request silently. `models` names the models of the policy in the summary,
/// which is returned; `expected_error` is a part of the error.
pub(super) fn run_refused(
    client: &Path,
    environment: &ClientEnvironment<'_>,
    mock: &RunningProgram,
    (models, expected_error): (&str, &str),
) -> Outcome<String> {
    mock.request_json("/control/fail", Some(&json!({ "fault": { "status": { "status": 529 } }, "times": 0 })))?;
    let mut command = message_command(client, environment, None, "hello");
    let start = Instant::now();
    let output = command.output().map_err(|error| cannot_start(&command, &error))?;
    let (elapsed, output_text) = (start.elapsed(), String::from_utf8_lossy(&output.stdout).into_owned());
    mock.request_json("/control/reset", Some(&Value::Null))?;
    if REFUSAL_LIMIT < elapsed || !output_text.contains(expected_error) {
        return Err(Failure::new(format!("{models}, status 529 everywhere, after {elapsed:?}: {output_text}")));
    }
    Ok(format!("{models}: status 529 shown after {:.1} s", elapsed.as_secs_f64()))
}

/// Runs Claude Code with one message in a new session and returns the session.
fn run_turn(client: &Path, environment: &ClientEnvironment<'_>, text: &str) -> Outcome<Session> {
    continue_session(client, environment, None, text)
}

/// Runs Claude Code with one message, in the session with an id or else in a new one. Returns the session.
pub(super) fn continue_session(
    client: &Path,
    environment: &ClientEnvironment<'_>,
    session: Option<&str>,
    text: &str,
) -> Outcome<Session> {
    read_session(&run_client(&mut message_command(client, environment, session, text))?)
}

/// Reads the session from the output of Claude Code.
///
/// # Errors
/// If the output is not the JSON of a result, or the turn ended with an error.
pub(super) fn read_session(output: &str) -> Outcome<Session> {
    let result: Value = serde_json::from_str(output)
        .map_err(|error| Failure::new(format!("cannot parse the output of Claude Code: {error}: {output}")))?;
    if result["is_error"] != false {
        return Err(Failure::new(format!("Claude Code ended with an error: {output}")));
    }
    let text = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
    Ok(Session { id: text("session_id"), last_message: text("result") })
}

/// Returns the command that sends one message, in the session with an id or else in a new one.
pub(super) fn message_command(
    client: &Path,
    environment: &ClientEnvironment<'_>,
    session: Option<&str>,
    text: &str,
) -> Command {
    let mut command = client_command(client, environment);
    if let Some(session) = session {
        command.args(["--resume", session]);
    }
    command
        .args(["-p", text, "--model", "claude-opus-4-8", "--output-format", "json", "--allowedTools", "Bash(echo:*)"])
        .env("ANTHROPIC_BASE_URL", environment.url)
        .env("ANTHROPIC_AUTH_TOKEN", "token-of-the-client")
        .env("CLAUDE_CONFIG_DIR", environment.home.join("claude"))
        .env("DISABLE_AUTOUPDATER", "1");
    command
}
