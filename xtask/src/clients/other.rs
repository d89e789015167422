//! The commands of Claude Code, opencode, Gemini CLI, aider and llm for the turns of `scenario`.

use std::{fs, path::Path};

use serde_json::json;

use super::{
    ClientEnvironment,
    claude_code::{AGENT_CALL, BASH_CALL, message_command},
    client_command,
    scenario::Driver,
};
use crate::{
    failure::{Failure, Outcome},
    workspace,
};

/// Prepares the folders of the client `name` and returns its driver: its commands for the turns of `scenario`.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn driver<'a>(name: &str, client: &'a Path, environment: &'a ClientEnvironment<'_>) -> Outcome<Driver<'a>> {
    match name {
        "claude" => Ok(claude_code(client, environment)),
        "opencode" => opencode(client, environment),
        "gemini" => gemini_cli(client, environment),
        "aider" => aider(client, environment),
        _ => llm(client, environment),
    }
}

/// Returns Claude Code with a model of Anthropic.
fn claude_code<'a>(client: &'a Path, environment: &'a ClientEnvironment<'_>) -> Driver<'a> {
    Driver {
        command: Box::new(move |message| {
            let mut command = message_command(client, environment, None, message.text);
            if message.continues {
                command.arg("--continue");
            }
            command
        }),
        default_slot: "WORKSPACE_DEFAULT",
        tool: Some(("Bash", BASH_CALL)),
        sub_agent: Some(("Agent", AGENT_CALL)),
    }
}

/// Returns opencode with the model `turnwise` of a provider whose address is the gateway. The project is a git repository,
/// since opencode searches the parent folders otherwise.
fn opencode<'a>(client: &'a Path, environment: &'a ClientEnvironment<'_>) -> Outcome<Driver<'a>> {
    let options = json!({ "baseURL": format!("{}/v1", environment.url), "apiKey": "any" });
    let settings = json!({
        "autoupdate": false, "share": "disabled", "permission": { "*": "allow" },
        "provider": { "anthropic": { "options": options, "models": { "turnwise": {} } } },
    });
    workspace::write_file(&environment.project.join("opencode.json"), &settings.to_string())?;
    create_folder(&environment.project.join(".git"))?;
    Ok(Driver {
        command: Box::new(move |message| {
            let mut command = client_command(client, environment);
            command.args(["run", "--format", "json", "--model", "anthropic/turnwise"]);
            command.env("OPENCODE_DISABLE_AUTOUPDATE", "1").env("OPENCODE_DISABLE_MODELS_FETCH", "1");
            if message.continues {
                command.arg("--continue");
            }
            // One argument with spaces is sent in quotation marks, and several arguments without.
            if message.text.contains("TOOLCALL") {
                command.arg("--").args(message.text.split(' '));
            } else {
                command.arg(message.text);
            }
            command
        }),
        default_slot: "GLOBAL_DEFAULT",
        tool: Some(("bash", r#"TOOLCALL:bash:{"command":"ls","description":"x"}"#)),
        sub_agent: Some((
            "task",
            r#"TOOLCALL:task:{"description":"look","subagent_type":"general","prompt":"TOOLCALL:bash:{\"command\":\"ls\",\"description\":\"y\"}"}"#,
        )),
    })
}

/// Returns the driver of Gemini CLI, with an API key and a model of Google. Requests of its sub-agents cannot be
/// recognised.
fn gemini_cli<'a>(client: &'a Path, environment: &'a ClientEnvironment<'_>) -> Outcome<Driver<'a>> {
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
        "general": { "disableAutoUpdate": true }, "privacy": { "usageStatisticsEnabled": false },
    });
    let folder = environment.home.join(".gemini");
    create_folder(&folder)?;
    workspace::write_file(&folder.join("settings.json"), &settings.to_string())?;
    Ok(Driver {
        command: Box::new(move |message| {
            let mut command = client_command(client, environment);
            command.args(["--yolo", "--output-format", "json", "--model", "gemini-3.1-pro-preview"]);
            command.env("GOOGLE_GEMINI_BASE_URL", environment.url).env("GEMINI_API_KEY", "any");
            if message.continues {
                command.args(["--resume", "latest"]);
            }
            command.args(["--prompt", message.text]);
            command
        }),
        default_slot: "WORKSPACE_DEFAULT",
        tool: Some(("run_shell_command", r#"TOOLCALL:run_shell_command:{"command":"ls","description":"x"}"#)),
        sub_agent: None,
    })
}

/// Returns the driver of aider, with the model `turnwise`. aider has no tools and no sub-agents: it reads edits from
/// the text of a response.
fn aider<'a>(client: &'a Path, environment: &'a ClientEnvironment<'_>) -> Outcome<Driver<'a>> {
    // Without a list of prices of today it tries to download one, and retries for half a minute without a network.
    let caches = environment.home.join(".aider/caches");
    create_folder(&caches)?;
    workspace::write_file(&caches.join("model_prices_and_context_window.json"), "{}")?;
    Ok(Driver {
        command: Box::new(move |message| {
            let mut command = client_command(client, environment);
            command.args([
                "--model",
                "openai/turnwise",
                "--no-git",
                "--no-pretty",
                "--yes-always",
                "--map-tokens",
                "0",
            ]);
            command.args([
                "--no-analytics",
                "--no-check-update",
                "--no-show-release-notes",
                "--no-show-model-warnings",
            ]);
            command.env("OPENAI_API_BASE", format!("{}/v1", environment.url)).env("OPENAI_API_KEY", "any");
            command.env("LITELLM_LOCAL_MODEL_COST_MAP", "True");
            if message.continues {
                command.arg("--restore-chat-history");
            }
            command.args(["--message", message.text]);
            command
        }),
        default_slot: "GLOBAL_DEFAULT",
        tool: None,
        sub_agent: None,
    })
}

/// Returns the driver of llm, with a model of `OpenAI` and a tool that llm contains.
fn llm<'a>(client: &'a Path, environment: &'a ClientEnvironment<'_>) -> Outcome<Driver<'a>> {
    let data = environment.home.join("llm");
    create_folder(&data)?;
    Ok(Driver {
        command: Box::new(move |message| {
            let mut command = client_command(client, environment);
            command.env("OPENAI_BASE_URL", format!("{}/v1", environment.url)).env("OPENAI_API_KEY", "any");
            command.env("LLM_USER_PATH", &data);
            if message.continues {
                command.arg("--continue");
            } else {
                command.args(["--model", "gpt-4o", "--tool", "llm_version"]);
            }
            command.arg(message.text);
            command
        }),
        default_slot: "WORKSPACE_DEFAULT",
        tool: Some(("llm_version", "TOOLCALL:llm_version:{}")),
        sub_agent: None,
    })
}

fn create_folder(path: &Path) -> Outcome {
    fs::create_dir_all(path).map_err(|error| Failure::file("create", path, &error))
}
