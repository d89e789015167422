//! `claude` and `codex`: run a client through the gateway, which is started if none runs.

mod background;

use std::{
    env,
    ffi::OsString,
    os::unix::process::CommandExt as _,
    process::{Command, ExitStatus},
};

use crate::{
    context::Context,
    failure::Failure,
    machine::{Client, ClientKind, find_clients},
};

/// A key for clients that need one to start; the gateway replaces it with the key of the provider.
const PLACEHOLDER_KEY: &str = "any";

/// Replaces this process by a client whose requests go to the gateway. Its exit code is that of the command.
///
/// # Errors
/// [`Failure::Invalid`] if the client is not installed, [`Failure::Failed`] if the gateway or the client cannot be
/// started.
pub(super) fn run(context: &Context, kind: ClientKind, arguments: &[OsString]) -> Result<(), Failure> {
    let user = env::var_os("HOME").map(std::path::PathBuf::from);
    let client = find_clients(user.as_deref()).into_iter().find(|client| client.kind == kind);
    let has_login = client.as_ref().is_some_and(|client| client.has_login);
    let Some(program) = client.and_then(|Client { program, .. }| program) else {
        let (title, program, package) = (kind.title(), kind.program(), npm_package(kind));
        return Err(Failure::Invalid(format!(
            "{title} (`{program}`) is in no folder of PATH; `npm install -g {package}` installs it"
        )));
    };
    let url = background::gateway_url(context)?;
    let mut command = Command::new(&program);
    let has_key = |names: &[&str]| names.iter().any(|name| env::var_os(name).is_some_and(|key| !key.is_empty()));
    if kind == ClientKind::Codex {
        let has_key = has_login || has_key(&["OPENAI_API_KEY", "CODEX_API_KEY"]);
        command.args(codex_settings(&url, has_key));
    } else {
        command.env("ANTHROPIC_BASE_URL", &url);
        if !has_login && !has_key(&["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]) {
            command.env("ANTHROPIC_AUTH_TOKEN", PLACEHOLDER_KEY);
        }
    }
    let error = command.args(arguments).exec();
    Err(Failure::file("start", &program, &error))
}

/// Returns the arguments with which Codex sends its requests to the gateway: to the built-in provider's address if Codex
/// has a login or a key, otherwise as a provider that needs none.
fn codex_settings(url: &str, has_key: bool) -> Vec<String> {
    let settings: &[String] = if has_key {
        &[format!("openai_base_url=\"{url}/v1\"")]
    } else {
        &[
            "model_provider=\"turnwise\"".to_owned(),
            format!("model_providers.turnwise={{name=\"turnwise\", base_url=\"{url}/v1\", wire_api=\"responses\"}}"),
        ]
    };
    settings.iter().flat_map(|setting| ["-c".to_owned(), setting.clone()]).collect()
}

/// Returns the npm package of a client.
const fn npm_package(kind: ClientKind) -> &'static str {
    match kind {
        ClientKind::Codex => "@openai/codex",
        _ => "@anthropic-ai/claude-code",
    }
}

/// Describes how a process ended, for an error message.
fn ending(status: ExitStatus) -> String {
    status.code().map_or_else(|| "a signal ended it".to_owned(), |code| format!("it ended with exit code {code}"))
}
