//! Finds the addresses that coding agents are configured with, in the environment and in their files.

use std::{
    env,
    path::{Path, PathBuf},
};

use adapters::read_own_file;

use super::clients::{ClientKind, claude_folder, codex_folder, folder_from};

/// A URL to which a client is configured to send its requests, with the place of that setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfiguredAddress {
    /// The name of the environment variable, or the path of the file.
    pub(crate) place: String,
    /// The URL, unchanged.
    pub(crate) url: String,
}

/// Returns the configured addresses of a client: from the environment of this process, the files of the user, and the
/// files of the current folder. Files that cannot be read are skipped. `user` is the user's home folder.
pub(crate) fn configured_addresses(kind: ClientKind, user: Option<&Path>) -> Vec<ConfiguredAddress> {
    let variables = kind.address_variables().iter().filter_map(|name| {
        let url = env::var(name).ok().filter(|url| !url.is_empty())?;
        Some(ConfiguredAddress { place: (*name).to_owned(), url })
    });
    let in_files = user.into_iter().flat_map(|user| files(kind, user)).flat_map(|path| {
        let text = read_own_file(&path).unwrap_or_default();
        let place = path.display().to_string();
        let found = values_of(&text, kind.address_keys());
        found.into_iter().map(move |url| ConfiguredAddress { place: place.clone(), url })
    });
    variables.chain(in_files).collect()
}

impl ClientKind {
    /// Returns the environment variables in which the client reads the address of its provider.
    const fn address_variables(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["ANTHROPIC_BASE_URL"],
            // Codex ignores OPENAI_BASE_URL.
            Self::Codex | Self::OpenCode => &[],
            Self::Aider => &["OPENAI_API_BASE", "AIDER_OPENAI_API_BASE"],
            Self::GeminiCli => &["GOOGLE_GEMINI_BASE_URL"],
            Self::Llm => &["OPENAI_BASE_URL"],
        }
    }

    /// Returns the keys in the client's configuration files whose values are addresses of providers.
    const fn address_keys(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["ANTHROPIC_BASE_URL"],
            Self::Codex => &["openai_base_url", "base_url"],
            Self::OpenCode => &["baseURL"],
            Self::Aider => &["openai-api-base"],
            Self::GeminiCli => &["GOOGLE_GEMINI_BASE_URL"],
            Self::Llm => &["api_base"],
        }
    }

    /// Returns the command or setting with which the client sends its requests to a gateway at `url`.
    pub(crate) fn address_setting(self, url: &str) -> String {
        match self {
            Self::ClaudeCode => "turnwise claude".to_owned(),
            Self::Codex => "turnwise codex".to_owned(),
            Self::OpenCode => format!("in opencode.json: provider.anthropic.options.baseURL = \"{url}/v1\""),
            Self::Aider => format!("OPENAI_API_BASE={url}/v1 aider --model openai/turnwise"),
            Self::GeminiCli => format!("GOOGLE_GEMINI_BASE_URL={url} gemini"),
            Self::Llm => format!("OPENAI_BASE_URL={url}/v1 llm -m gpt-4o"),
        }
    }

    /// Returns whether the gateway's address in the client's settings must end in `/v1`. The other clients append it
    /// themselves.
    pub(crate) const fn address_has_version(self) -> bool {
        match self {
            Self::Codex | Self::OpenCode | Self::Aider | Self::Llm => true,
            Self::ClaudeCode | Self::GeminiCli => false,
        }
    }
}

/// Returns the paths of the files in which a client reads its address, whether they exist or not.
fn files(kind: ClientKind, user: &Path) -> Vec<PathBuf> {
    let here = env::current_dir().unwrap_or_default();
    let config = || folder_from("XDG_CONFIG_HOME").unwrap_or_else(|| user.join(".config"));
    match kind {
        ClientKind::ClaudeCode => {
            vec![claude_folder(user).join("settings.json"), here.join(".claude/settings.json")]
        }
        ClientKind::Codex => vec![codex_folder(user).join("config.toml")],
        ClientKind::OpenCode => {
            let folder = config().join("opencode");
            [folder, here]
                .iter()
                .flat_map(|folder| ["opencode.json", "opencode.jsonc"].map(|name| folder.join(name)))
                .collect()
        }
        ClientKind::Aider => vec![user.join(".aider.conf.yml"), here.join(".aider.conf.yml")],
        ClientKind::GeminiCli => vec![user.join(".gemini/.env"), here.join(".gemini/.env")],
        ClientKind::Llm => vec![config().join("io.datasette.llm/extra-openai-models.yaml")],
    }
}

/// Returns the values of some keys in a text of JSON, TOML, YAML or `NAME=value` lines, without those in comment lines.
/// The formats are not parsed, since the result is only shown to the user.
fn values_of(text: &str, keys: &[&str]) -> Vec<String> {
    let is_comment = |line: &&str| line.trim_start().starts_with('#') || line.trim_start().starts_with("//");
    let lines = text.lines().filter(|line| !is_comment(line));
    lines.flat_map(|line| keys.iter().flat_map(move |key| values_in_line(line, key))).collect()
}

/// Returns the values that follow a key in a line, after `=` or `:` and without quotes.
fn values_in_line(line: &str, key: &str) -> Vec<String> {
    let is_part_of_name = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    let value = |(at, _): (usize, &str)| {
        let (before, after) = (&line[..at], &line[at + key.len()..]);
        if before.ends_with(is_part_of_name) {
            return None;
        }
        let after = after.trim_start_matches(['"', '\'']).trim_start();
        let value = after.strip_prefix(['=', ':'])?.trim_start();
        let value = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
            _ => value.split([' ', ',', '}', '\t']).next(),
        };
        value.filter(|value| !value.is_empty()).map(str::to_owned)
    };
    line.match_indices(key).filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_in_every_format_of_the_clients() {
        let url = ["http://127.0.0.1:4141/v1"];
        let toml = "# base_url = \"http://old\"\nmodel = \"gpt\"\nopenai_base_url = \"http://127.0.0.1:4141/v1\"\n";
        assert_eq!(values_of(toml, &["openai_base_url", "base_url"]), url);
        let inline = "model_providers.turnwise = {name = \"t\", base_url = \"http://127.0.0.1:4141/v1\"}";
        assert_eq!(values_of(inline, &["openai_base_url", "base_url"]), url);
        let json =
            r#"{"provider": {"anthropic": {"options": {"baseURL": "http://127.0.0.1:4141/v1", "apiKey": "any"}}}}"#;
        assert_eq!(values_of(json, &["baseURL"]), url);
        assert_eq!(values_of("{\n  // \"baseURL\": \"http://old\"\n}", &["baseURL"]), [""; 0]);
        assert_eq!(values_of("openai-api-base: http://127.0.0.1:4141/v1 # gateway", &["openai-api-base"]), url);
        assert_eq!(values_of("GOOGLE_GEMINI_BASE_URL='http://h'\n", &["GOOGLE_GEMINI_BASE_URL"]), ["http://h"]);
        assert_eq!(values_of("{\"env\":{\"ANTHROPIC_BASE_URL\":\"http://h\"}}", &["ANTHROPIC_BASE_URL"]), ["http://h"]);
        assert_eq!(values_of("\"about base_url\" x", &["base_url"]), [""; 0]);
    }
}
