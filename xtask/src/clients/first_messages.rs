//! The first messages of a new user in a client, through the gateway with the starter policy.

use std::{fs, path::Path};

use serde_json::Value;

use super::{ClientEnvironment, claude_code, codex, installed, programs};
use crate::{
    failure::{Failure, Outcome},
    workspace,
};

/// A message of the user, and the slot of the chain that must decide it.
type Message = (&'static str, &'static str);

/// One session in Claude Code. The first message makes the mock provider think, so that all later ones come after a
/// thinking block of the requested model.
const CLAUDE_CODE: [Message; 4] = [
    ("THINK hello", "WORKSPACE_DEFAULT"),
    ("commit this", "CONFIGURED_RULES"),
    ("@sonnet say hi", "PER_MESSAGE_OVERRIDE"),
    ("walk me through the architecture", "CONFIGURED_RULES"),
];

/// Messages in Codex, each in a session of its own.
const CODEX: [Message; 3] = [
    ("THINK hello", "WORKSPACE_DEFAULT"),
    ("commit this", "CONFIGURED_RULES"),
    ("walk me through the architecture", "CONFIGURED_RULES"),
];

/// Sends the first messages of a new user with each installed client, and prints which slot of the decision chain
/// decided each turn, and why. The clients are installed in the cache folder of `cargo xtask clients`. Returns one note
/// per client, with the reason if it was skipped.
///
/// # Errors
/// If a message was decided by another slot than expected.
pub(crate) fn run() -> Outcome<Vec<String>> {
    let cache = workspace::target_folder().join("clients");
    let installed::InstalledClients { clients, skip_notes: mut notes } =
        installed::install_clients(&cache, |name| matches!(name, "claude" | "codex"))?;
    for (name, client) in clients {
        let (key, messages): (_, &[Message]) = match name {
            "claude" => ("ANTHROPIC_API_KEY", &CLAUDE_CODE),
            _ => ("OPENAI_API_KEY", &CODEX),
        };
        println!("\n{name}, with the policy that `turnwise init` writes for {key}:");
        converse(name, &client, key, messages)?;
        notes.push(format!("{name}: {} messages decided as expected", messages.len()));
    }
    Ok(notes)
}

/// Starts a gateway with the starter policy for a key, and sends `messages` with one client.
fn converse(name: &str, client: &Path, key: &str, messages: &[Message]) -> Outcome {
    let folder = workspace::temporary_folder()?;
    let [home, project, user] = ["turnwise", "project", "user"].map(|name| folder.path().join(name));
    for folder in [&home, &project, &user] {
        fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    }
    let mut init = programs::turnwise_command(&home);
    for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
        init.env_remove(name);
    }
    crate::program::capture_output(init.arg("init").env("HOME", &user).env(key, "key-of-the-mock"))?;
    let mock = programs::start_mock(&[])?;
    let gateway = programs::start_gateway(&home, &mock)?;
    let environment = ClientEnvironment { home: &user, project: &project, url: &gateway.url };
    let codex_home = user.join("codex");
    fs::create_dir_all(&codex_home).map_err(|error| Failure::file("create", &codex_home, &error))?;
    workspace::write_file(&codex_home.join("config.toml"), &codex::own_provider_settings(&gateway.url))?;
    let mut session: Option<String> = None;
    let mut problems = Vec::new();
    for (text, expected) in messages {
        let ran = match name {
            "claude" => claude_code::continue_session(client, &environment, session.as_deref(), text)?,
            _ => codex::run_turn(client, &environment, &codex_home, text)?,
        };
        session = Some(ran.id);
        let turns = gateway.request_json("/api/turns?limit=20", None)?;
        let turn = latest_main_turn(&turns).ok_or_else(|| Failure::new(format!("no turn for {text:?}: {turns}")))?;
        let detail = gateway.request_json(&format!("/turns/{}", turn["turn"].as_str().unwrap_or_default()), None)?;
        println!("  {}", describe(text, turn, &detail));
        if turn["slot"] != *expected {
            problems.push(format!("{name}: {text:?} was decided by {}, not by {expected}", turn["slot"]));
        }
    }
    gateway.stop()?;
    Failure::unless_empty("messages decided by another slot", &problems)
}

/// Returns the latest turn of a main conversation, without auxiliary calls and sub-agents.
pub(super) fn latest_main_turn(turns: &Value) -> Option<&Value> {
    let is_main = |turn: &&Value| turn["auxiliary"].is_null() && turn["subagent"] == false;
    turns["turns"].as_array()?.iter().filter(is_main).max_by_key(|turn| turn["position"].as_u64())
}

/// Describes a turn in one line: message, model, reason, and the features of the request that were adapted.
fn describe(text: &str, turn: &Value, detail: &Value) -> String {
    let field = |name: &str| turn[name].as_str().unwrap_or("-").to_owned();
    let adapted: Vec<_> = detail["adapted"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let adapted = if adapted.is_empty() { String::new() } else { format!("; adapted: {}", adapted.join(", ")) };
    format!("{text:<34} {} · {}{adapted}", field("model"), field("reason"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn auxiliary_calls_and_sub_agents_are_not_the_turn_of_the_message() {
        let turns = json!({"turns": [
            {"position": 9, "auxiliary": "title", "subagent": false},
            {"position": 8, "auxiliary": null, "subagent": true},
            {"position": 7, "auxiliary": null, "subagent": false, "model": "m", "reason": "rule \"r\""},
            {"position": 3, "auxiliary": null, "subagent": false},
        ]});
        let turn = latest_main_turn(&turns).unwrap();
        let described = describe("commit this", turn, &json!({"adapted": ["effort"]}));
        assert_eq!(described, "commit this                        m · rule \"r\"; adapted: effort");
    }
}
