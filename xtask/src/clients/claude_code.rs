//! Turns of Claude Code.

use std::path::Path;

use serde_json::Value;

use super::{Expected, Place, Session, bodies, check_message, command, programs::Running, run_client};
use crate::failure::{Failure, Outcome};

const BASH: &str = r#"TOOLCALL:Bash:{"command":"echo hi","description":"say hi"}"#;
/// Starts a sub-agent that calls a tool itself.
const AGENT: &str = r#"TOOLCALL:Agent:{"description":"look","subagent_type":"Explore","prompt":"TOOLCALL:Bash:{\"command\":\"echo sub\",\"description\":\"x\"}"}"#;

/// Runs turns with a tool, with thinking before a tool, with a sub-agent, and with a model override.
pub(super) fn run(client: &Path, place: &Place<'_>, mock: &Running) -> Outcome<Expected> {
    let mut expected = Expected {
        tools: vec!["Bash", "Bash", "Agent", "Bash", "Bash"],
        models: vec!["anthropic:claude-opus-4-8", "anthropic:claude-haiku-4-5"],
        sub_agent: true,
        ..Expected::default()
    };
    let after_tool = |text: &str| text == "tool said 2 bytes";
    let tool = run_turn(client, place, BASH)?;
    check_message(&tool, "a turn with a tool", after_tool)?;
    let thinking = run_turn(client, place, &format!("THINK {BASH}"))?;
    check_message(&thinking, "a turn with thinking and a tool", after_tool)?;
    let agent = run_turn(client, place, AGENT)?;
    check_message(&agent, "a turn with a sub-agent", |text| {
        text.starts_with("tool said ") && text.ends_with(" bytes")
    })?;
    let overridden = run_turn(client, place, &format!("@haiku {BASH}"))?;
    check_message(&overridden, "a turn with a model override", after_tool)?;
    for session in [&tool, &thinking, &agent, &overridden] {
        expected.add(session);
    }
    let with_mention =
        bodies(mock)?.iter().filter(|body| body.contains("@haiku ") && !body.contains("json_schema")).count();
    if with_mention > 0 {
        return Err(Failure::new(format!("`@haiku` was not removed from {with_mention} requests to the provider")));
    }
    Ok(expected)
}

/// Runs Claude Code with one message and parses its JSON output.
fn run_turn(client: &Path, place: &Place<'_>, text: &str) -> Outcome<Session> {
    let mut command = command(client, place);
    command
        .args(["-p", text, "--model", "claude-opus-4-8", "--output-format", "json", "--allowedTools", "Bash(echo:*)"])
        .env("ANTHROPIC_BASE_URL", place.url)
        .env("ANTHROPIC_AUTH_TOKEN", "token-of-the-client")
        .env("CLAUDE_CONFIG_DIR", place.home.join("claude"))
        .env("DISABLE_AUTOUPDATER", "1");
    let printed = run_client(&mut command)?;
    let result: Value = serde_json::from_str(&printed)
        .map_err(|error| Failure::new(format!("cannot parse the output of Claude Code: {error}: {printed}")))?;
    if result["is_error"] != false {
        return Err(Failure::new(format!("Claude Code ended with an error: {printed}")));
    }
    let text = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
    Ok(Session { id: text("session_id"), last_message: text("result") })
}
