//! Turns of Claude Code.

use std::path::Path;

use serde_json::Value;

use super::{Expected, Place, Session, bodies, command, programs::Running, run_client, said};
use crate::failure::{Failure, Outcome};

const BASH: &str = r#"TOOLCALL:Bash:{"command":"echo hi","description":"say hi"}"#;
/// An agent that itself uses a tool.
const AGENT: &str = r#"TOOLCALL:Agent:{"description":"look","subagent_type":"Explore","prompt":"TOOLCALL:Bash:{\"command\":\"echo sub\",\"description\":\"x\"}"}"#;

/// A tool, a thought before a tool, a sub-agent, and a turn that names its model.
pub(super) fn run(client: &Path, place: &Place<'_>, mock: &Running) -> Outcome<Expected> {
    let mut expected = Expected {
        tools: vec!["Bash", "Bash", "Agent", "Bash", "Bash"],
        models: vec!["anthropic:claude-opus-4-8", "anthropic:claude-haiku-4-5"],
        sub_agent: true,
        ..Expected::default()
    };
    let after_tool = |text: &str| text == "tool said 2 bytes";
    let one = ask(client, place, BASH)?;
    said(&one, "a turn with a tool", after_tool)?;
    let thought = ask(client, place, &format!("THINK {BASH}"))?;
    said(&thought, "a turn with a thought and a tool", after_tool)?;
    let agent = ask(client, place, AGENT)?;
    said(&agent, "a turn with a sub-agent", |text| text.starts_with("tool said ") && text.ends_with(" bytes"))?;
    let named = ask(client, place, &format!("@haiku {BASH}"))?;
    said(&named, "a turn that names its model", after_tool)?;
    for session in [&one, &thought, &agent, &named] {
        expected.add(session);
    }
    let left = bodies(mock)?.iter().filter(|body| body.contains("@haiku ") && !body.contains("json_schema")).count();
    if left > 0 {
        return Err(Failure::new(format!("`@haiku` was left in {left} requests to the provider")));
    }
    Ok(expected)
}

fn ask(client: &Path, place: &Place<'_>, text: &str) -> Outcome<Session> {
    let mut command = command(client, place);
    command
        .args(["-p", text, "--model", "claude-opus-4-8", "--output-format", "json", "--allowedTools", "Bash(echo:*)"])
        .env("ANTHROPIC_BASE_URL", place.url)
        .env("ANTHROPIC_AUTH_TOKEN", "token-of-the-client")
        .env("CLAUDE_CONFIG_DIR", place.home.join("claude"))
        .env("DISABLE_AUTOUPDATER", "1");
    let printed = run_client(&mut command)?;
    let result: Value = serde_json::from_str(&printed)
        .map_err(|error| Failure::new(format!("cannot read what Claude Code printed: {error}: {printed}")))?;
    if result["is_error"] != false {
        return Err(Failure::new(format!("Claude Code ended with an error: {printed}")));
    }
    let text = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
    Ok(Session { id: text("session_id"), said: text("result") })
}
