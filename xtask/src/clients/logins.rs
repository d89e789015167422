//! Logins instead of keys: Claude Code with an OAuth token, and Codex with a `ChatGPT` login, through a gateway that has no
//! key of their provider. The login has to reach that provider unchanged, and no other one.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{
    ClientEnvironment, check_message, claude_code, client_command, create_folders,
    programs::{self, RunningProgram},
    run_client,
};
use crate::{
    failure::{Failure, Outcome},
    workspace,
};

/// The OAuth token of Claude Code's user.
const CLAUDE_TOKEN: &str = "sk-ant-oat01-login-of-the-user";

/// The `ChatGPT` account of Codex's user.
const ACCOUNT: &str = "account-of-the-user";

/// A policy that sends one message to the other provider.
const POLICY: &str = "schema_version: 1
global_default: sonnet
gateway: {client_model: default}
rules:
  - {name: elsewhere, when: {message_matches: '^elsewhere'}, use: gpt-5.5}
";

/// Runs turns of a client with a login, and checks which requests the mock provider received. Returns a summary.
pub(super) fn run(name: &str, client: &Path, folder: &Path) -> Outcome<String> {
    let [home, project, client_home] = create_folders(folder)?;
    workspace::write_file(&home.join("routing.yaml"), POLICY)?;
    let mock = programs::start_mock(&["--keep"])?;
    let keys: &[&str] = if name == "claude" { &["OPENAI_API_KEY"] } else { &[] };
    let gateway = programs::start_gateway_with_keys(&home, &mock, keys)?;
    let environment = ClientEnvironment { home: &client_home, project: &project, url: &gateway.url };
    let summary =
        if name == "claude" { run_claude(client, &environment, &mock) } else { run_codex(client, &environment, &mock) };
    let summary =
        summary.map_err(|failure| Failure::new(format!("{name}: {failure}{}", super::diagnosis(&home, &mock))))?;
    gateway.stop()?;
    println!("clients: {name}: {summary}");
    Ok(summary)
}

/// Runs a turn of Claude Code with an OAuth token on Anthropic, and one on `OpenAI` with the key of the gateway.
fn run_claude(client: &Path, environment: &ClientEnvironment<'_>, mock: &RunningProgram) -> Outcome<String> {
    for text in ["hello", "elsewhere"] {
        let mut command = claude_code::message_command(client, environment, None, text);
        command.env_remove("ANTHROPIC_AUTH_TOKEN").env("CLAUDE_CODE_OAUTH_TOKEN", CLAUDE_TOKEN);
        let output = run_client(&mut command)?;
        check_message(&claude_code::read_session(&output)?, text, |text| !text.is_empty())?;
    }
    let login = format!("Bearer {CLAUDE_TOKEN}");
    let requests = received(mock)?;
    for request in &requests {
        let (has_login, is_anthropic) = (header(request, "authorization") == login, is_messages(request));
        let is_oauth = header(request, "anthropic-beta").contains("oauth-");
        if has_login != is_anthropic || is_oauth != is_anthropic || !header(request, "x-api-key").is_empty() {
            return Err(Failure::new(format!(
                "a login at the wrong place: {} {}",
                request["path"], request["headers"]
            )));
        }
    }
    let (anthropic_count, total_count) =
        (requests.iter().filter(|request| is_messages(request)).count(), requests.len());
    if anthropic_count == 0 || anthropic_count == total_count {
        return Err(Failure::new(format!(
            "{anthropic_count} of {total_count} requests went to Anthropic, expected some and not all"
        )));
    }
    Ok(format!(
        "the OAuth login is in all {anthropic_count} of the requests to Anthropic and in none of {} to OpenAI",
        total_count - anthropic_count
    ))
}

/// Runs a turn of Codex with a `ChatGPT` login, whose requests Codex compresses with zstd.
fn run_codex(client: &Path, environment: &ClientEnvironment<'_>, mock: &RunningProgram) -> Outcome<String> {
    let home = environment.home.join("codex");
    fs::create_dir_all(&home).map_err(|error| Failure::file("create", &home, &error))?;
    let url = environment.url;
    let settings =
        format!("model = \"gpt-5.5\"\nopenai_base_url = \"{url}/v1\"\nchatgpt_base_url = \"{url}/no-backend\"\n");
    workspace::write_file(&home.join("config.toml"), &settings)?;
    workspace::write_file(&home.join("auth.json"), &chatgpt_login().to_string())?;
    let mut command = client_command(client, environment);
    command
        .args(["exec", "--json", "--skip-git-repo-check", "--sandbox", "danger-full-access", "hello"])
        .env("CODEX_HOME", &home);
    let output = run_client(&mut command)?;
    if !output.contains("agent_message") {
        return Err(Failure::new(format!("no message in the output of Codex: {output}")));
    }
    let requests = received(mock)?;
    let [request] = &requests[..] else {
        return Err(Failure::new(format!("{} requests instead of 1", requests.len())));
    };
    let is_forwarded = request["path"] == "/backend-api/codex/responses" && request["status"] == 200;
    if !is_forwarded || header(request, "chatgpt-account-id") != ACCOUNT || header(request, "authorization").len() < 100
    {
        return Err(Failure::new(format!("the login did not arrive: {} {}", request["path"], request["headers"])));
    }
    Ok("ChatGPT login forwarded to the URL of logins".to_owned())
}

/// Returns the file `auth.json` of Codex with a login: a token that is not signed and expires in the year 2100.
fn chatgpt_login() -> Value {
    /// The parts of the token in base64: `{"alg":"none","typ":"JWT"}`, and claims with the account [`ACCOUNT`], the plan
    /// `plus` and the expiry.
    const TOKEN: &str = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJlbWFpbCI6InVzZXJAZXhhbXBsZS5jb20iLCJleHAiOjQxMDI0NDQ4MDAsImh0dHBzOi8vYXBpLm9wZW5haS5jb20vYXV0aCI6eyJjaGF0Z3B0X2FjY291bnRfaWQiOiJhY2NvdW50LW9mLXRoZS11c2VyIiwiY2hhdGdwdF9wbGFuX3R5cGUiOiJwbHVzIn19.c2ln";
    json!({
        "OPENAI_API_KEY": null,
        "tokens": {
            "id_token": TOKEN, "access_token": TOKEN, "refresh_token": "refresh-of-the-user", "account_id": ACCOUNT,
        },
        // Newer than any refresh interval.
        "last_refresh": "2099-01-01T00:00:00Z",
    })
}

/// Returns the requests for a model that the mock provider received, oldest first.
fn received(mock: &RunningProgram) -> Outcome<Vec<Value>> {
    let requests = mock.request_json("/control/requests", None)?;
    let is_generation = |request: &&Value| request["method"] == "POST";
    Ok(requests.as_array().into_iter().flatten().filter(is_generation).cloned().collect())
}

/// Returns whether a request was sent to Anthropic's API.
fn is_messages(request: &Value) -> bool {
    request["path"].as_str().is_some_and(|path| path.starts_with("/v1/messages"))
}

/// Returns the first header of a request with a name in lower case; empty if there is none.
fn header<'r>(request: &'r Value, name: &str) -> &'r str {
    let headers = request["headers"].as_array().into_iter().flatten();
    headers.filter(|header| header[0] == name).find_map(|header| header[1].as_str()).unwrap_or_default()
}
