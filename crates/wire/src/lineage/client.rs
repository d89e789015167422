//! The client by its `user-agent`.

use super::cleaned;

/// The longest version that is kept, in bytes.
const MAX_VERSION_BYTES: usize = 40;

/// Beginnings of a `user-agent`, lower case, and whose they are.
const AGENTS: [(&str, &str); 12] = [
    ("claude-cli", "claude-code"),
    ("claude-code", "claude-code"),
    ("codex", "codex"),
    ("opencode", "opencode"),
    ("geminicli", "gemini-cli"),
    ("gemini-cli", "gemini-cli"),
    ("aider", "aider"),
    ("anthropic/", "anthropic-sdk"),
    ("asyncanthropic/", "anthropic-sdk"),
    ("openai/", "openai-sdk"),
    ("asyncopenai/", "openai-sdk"),
    ("azureopenai/", "openai-sdk"),
];

/// The client and its version, from a `user-agent` such as `codex_exec/0.169.0 (Debian)` or `OpenAI/Python 2.54.0`.
pub(super) fn named(agent: &str) -> (Option<&'static str>, Option<String>) {
    let agent = agent.trim();
    if agent.is_empty() {
        return (None, None);
    }
    let starts = |start: &str| agent.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    let client = AGENTS.iter().find(|(start, _)| starts(start)).map_or("other", |(_, client)| *client);
    let is_version = |piece: &&str| piece.starts_with(|first: char| first.is_ascii_digit());
    let version = agent.split([' ', '/']).skip(1).take(2).find(is_version);
    (Some(client), version.and_then(|version| cleaned(version, MAX_VERSION_BYTES)))
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn clients_are_known_by_their_user_agent() {
        let check = |agent: &str, client: Option<&str>, version: Option<&str>| {
            assert_eq!(named(agent), (client, version.map(str::to_owned)), "{agent}");
        };
        check("claude-cli/2.1.197 (external, cli)", Some("claude-code"), Some("2.1.197"));
        check("codex_exec/0.169.0 (Debian 12.0.0; x86_64)", Some("codex"), Some("0.169.0"));
        check("opencode/1.18.33 ai-sdk/provider-utils/4.0.23", Some("opencode"), Some("1.18.33"));
        check("GeminiCLI-tui/0.61.0/gemini-3.1-pro (linux)", Some("gemini-cli"), Some("0.61.0"));
        check("OpenAI/Python 2.54.0", Some("openai-sdk"), Some("2.54.0"));
        check("AsyncAnthropic/Python 2.11.0", Some("anthropic-sdk"), Some("2.11.0"));
        check("curl/8.5.0", Some("other"), Some("8.5.0"));
        check("Mozilla", Some("other"), None);
        check("", None, None);
    }
}
