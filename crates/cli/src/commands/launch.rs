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

/// Starts a coding agent whose requests are sent to the gateway, in place of this process. The command exits with the
/// exit code of the agent.
///
/// # Errors
/// [`Failure::Invalid`] if the agent is not installed, [`Failure::Failed`] if the gateway or the agent cannot be
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
    let key_variable =
        |names: [&'static str; 2]| names.into_iter().find(|name| env::var_os(name).is_some_and(|key| !key.is_empty()));
    if kind == ClientKind::Codex {
        let key_variable = key_variable(["OPENAI_API_KEY", "CODEX_API_KEY"]);
        command.args(codex_settings(&url, has_login, key_variable));
    } else {
        command.env("ANTHROPIC_BASE_URL", &url);
        if !has_login && key_variable(["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]).is_none() {
            command.env("ANTHROPIC_AUTH_TOKEN", PLACEHOLDER_KEY);
        }
    }
    let error = command.args(arguments).exec();
    Err(Failure::file("start", &program, &error))
}

/// Returns the command line arguments with which Codex sends its requests to the gateway.
///
/// With a login, Codex keeps its built-in provider, at another address. Otherwise the gateway is configured as a
/// provider of its own, whose key is in the variable `key_variable`, or which needs none if that is `None`. Only for
/// the built-in provider Codex tries a WebSocket first, and logs that the gateway has none.
fn codex_settings(url: &str, has_login: bool, key_variable: Option<&str>) -> Vec<String> {
    let settings: &[String] = if has_login {
        &[format!("openai_base_url=\"{url}/v1\"")]
    } else {
        let key = key_variable.map(|name| format!(", env_key=\"{name}\"")).unwrap_or_default();
        let provider = format!("name=\"turnwise\", base_url=\"{url}/v1\", wire_api=\"responses\"{key}");
        &["model_provider=\"turnwise\"".to_owned(), format!("model_providers.turnwise={{{provider}}}")]
    };
    settings.iter().flat_map(|setting| ["-c".to_owned(), setting.clone()]).collect()
}

/// Returns the npm package that installs a coding agent.
const fn npm_package(kind: ClientKind) -> &'static str {
    match kind {
        ClientKind::Codex => "@openai/codex",
        _ => "@anthropic-ai/claude-code",
    }
}

/// Describes the exit status of a process in words, for an error message.
fn ending(status: ExitStatus) -> String {
    status.code().map_or_else(|| "a signal ended it".to_owned(), |code| format!("it ended with exit code {code}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codex_keeps_its_provider_only_with_a_login() {
        let settings = |has_login, key| codex_settings("http://h", has_login, key).join(" ");
        assert_eq!(settings(true, None), "-c openai_base_url=\"http://h/v1\"");
        let own = "-c model_provider=\"turnwise\" -c model_providers.turnwise={name=\"turnwise\", \
                   base_url=\"http://h/v1\", wire_api=\"responses\"";
        assert_eq!(settings(false, None), format!("{own}}}"));
        assert_eq!(settings(false, Some("CODEX_API_KEY")), format!("{own}, env_key=\"CODEX_API_KEY\"}}"));
    }
}
