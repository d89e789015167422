//! The turns of Codex that are run through the gateway, with a configured provider and with the built-in one.

use std::{fs, path::Path};

use serde_json::Value;

use super::{
    ClientEnvironment, ExpectedLog, Session, check_message, client_command, programs::RunningProgram, run_client,
};
use crate::{
    failure::{Failure, Outcome},
    workspace,
};

/// A message for which the mock provider calls the tool `exec_command`.
const EXEC_CALL: &str = r#"TOOLCALL:exec_command:{"cmd":"echo hi"}"#;

/// Runs turns of Codex through the gateway, with a tool and with thinking before a tool: once with the gateway as a
/// configured provider of Codex, and once as the URL of its built-in one. Returns the expected content of the log.
/// Fails if a last message is not as expected or a websocket request reaches the provider.
pub(super) fn run(client: &Path, environment: &ClientEnvironment<'_>, mock: &RunningProgram) -> Outcome<ExpectedLog> {
    let own_provider = own_provider_settings(environment.url);
    let built_in = format!("model = \"gpt-5.5\"\nopenai_base_url = \"{}/v1\"\n", environment.url);
    let mut expected_log = ExpectedLog { models: vec!["openai:gpt-5.5"], ..ExpectedLog::default() };
    for (name, settings) in [("own", own_provider), ("built-in", built_in)] {
        let home = environment.home.join(name);
        fs::create_dir_all(&home).map_err(|error| Failure::file("create", &home, &error))?;
        workspace::write_file(&home.join("config.toml"), &settings)?;
        for text in [EXEC_CALL.to_owned(), format!("THINK {EXEC_CALL}")] {
            let session = run_turn(client, environment, &home, &text)?;
            check_message(&session, &format!("a turn over the {name} provider"), |text| {
                text.starts_with("tool said ") && text.ends_with(" bytes")
            })?;
            expected_log.tools.push("exec_command");
            expected_log.add(&session);
        }
    }
    // The built-in provider tries a websocket first, which the gateway must refuse without asking the provider.
    let upgrades = mock.request_json("/control/requests", None)?;
    if upgrades.as_array().into_iter().flatten().any(|request| request["method"] == "GET") {
        return Err(Failure::new("a websocket request reached the provider"));
    }
    Ok(expected_log)
}

/// Returns the settings of Codex with the gateway at a URL as a provider of its own.
pub(super) fn own_provider_settings(url: &str) -> String {
    format!(
        "model = \"gpt-5.5\"\nmodel_provider = \"turnwise\"\n[model_providers.turnwise]\nname = \"turnwise\"\n\
         base_url = \"{url}/v1\"\nwire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\n"
    )
}

/// Runs Codex with one message and returns its session.
pub(super) fn run_turn(
    client: &Path,
    environment: &ClientEnvironment<'_>,
    home: &Path,
    text: &str,
) -> Outcome<Session> {
    let mut command = client_command(client, environment);
    command
        .args(["exec", "--json", "--skip-git-repo-check", "--sandbox", "danger-full-access", text])
        .env("CODEX_HOME", home)
        .env("OPENAI_API_KEY", "token-of-the-client")
        .env("CODEX_API_KEY", "token-of-the-client");
    let output = run_client(&mut command)?;
    let events: Vec<Value> = output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let id = events.iter().find_map(|event| event["thread_id"].as_str());
    let message = events.iter().rfind(|event| event["item"]["type"] == "agent_message");
    let text = message.and_then(|event| event["item"]["text"].as_str());
    match (id, text) {
        (Some(id), Some(text)) => Ok(Session { id: id.to_owned(), last_message: text.to_owned() }),
        _ => Err(Failure::new(format!("no message in the output of Codex: {output}"))),
    }
}
