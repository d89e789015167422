//! Identifies the client, its session and its working directory by headers, user agents, ids and texts in prompts.

use serde::Deserialize;

/// Names of the headers in which clients send their session, thread and parent. All are lower case.
pub mod headers {
    /// Claude Code: the session.
    pub const CLAUDE_CODE_SESSION: &str = "x-claude-code-session-id";
    /// Claude Code: the sub-agent.
    pub const CLAUDE_CODE_AGENT: &str = "x-claude-code-agent-id";
    /// Claude Code: the parent of the sub-agent.
    pub const CLAUDE_CODE_PARENT: &str = "x-claude-code-parent-agent-id";
    /// Codex: the session, in two spellings.
    pub const CODEX_SESSION: [&str; 2] = ["session-id", "session_id"];
    /// Codex: the thread; equal to the session in the main thread.
    pub const CODEX_THREAD: &str = "thread-id";
    /// Codex: the parent of the thread; also a field of `client_metadata` in the body.
    pub const CODEX_PARENT: &str = "x-codex-parent-thread-id";
    /// Codex: the kind of sub-agent; also a field of `client_metadata` in the body. See [`super::is_codex_subagent`].
    pub const CODEX_SUBAGENT: &str = "x-openai-subagent";
    /// Codex: all ids as JSON. See [`super::CodexTurnMetadata`].
    pub const CODEX_TURN_METADATA: &str = "x-codex-turn-metadata";
    /// opencode: the session. A sub-agent has its own session.
    pub const OPENCODE_SESSION: &str = "x-session-id";
    /// opencode: the session, in a header for providers.
    pub const OPENCODE_AFFINITY: &str = "x-session-affinity";
    /// opencode: the parent of the session.
    pub const OPENCODE_PARENT: &str = "x-parent-session-id";
}

/// The content of the header [`headers::CODEX_TURN_METADATA`], parsed from JSON. Missing fields are `None`.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct CodexTurnMetadata {
    /// The session id.
    pub session_id: Option<String>,
    /// The thread id.
    pub thread_id: Option<String>,
    /// The thread id of the parent.
    pub parent_thread_id: Option<String>,
    /// The origin of the thread; `subagent` for a sub-agent.
    pub thread_source: Option<String>,
}

/// Returns whether a value of the header [`headers::CODEX_SUBAGENT`] identifies a sub-agent. All values do except
/// `compact`, since a compaction runs in the thread itself.
pub fn is_codex_subagent(kind: &str) -> bool {
    kind != "compact"
}

/// The starts of user agents in lower case, each with the client's name. The first match counts.
const USER_AGENTS: [(&str, &str); 12] = [
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

/// Parses a user agent such as `codex_exec/0.169.0 (Debian)` or `OpenAI/Python 2.54.0`, and returns the name of the
/// client and its version.
///
/// The name is `other` if the client is unknown, and `None` if the user agent is empty. The version is `None` if
/// neither of the two words after the name starts with a digit.
pub fn parse_user_agent(user_agent: &str) -> (Option<&'static str>, Option<&str>) {
    let user_agent = user_agent.trim();
    if user_agent.is_empty() {
        return (None, None);
    }
    let starts_with = |start: &str| user_agent.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    let client = USER_AGENTS.iter().find(|(start, _)| starts_with(start)).map_or("other", |(_, client)| *client);
    let is_version = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    (Some(client), user_agent.split([' ', '/']).skip(1).take(2).find(is_version))
}

/// Returns whether a client sends its session id as `prompt_cache_key`. Other clients use that field for a key shared
/// between sessions.
pub fn sends_session_as_cache_key(client: &str) -> bool {
    matches!(client, "codex" | "opencode")
}

/// Extracts the session id from a `metadata.user_id` of Claude Code, which is a JSON object with `session_id`, or a
/// text of ids such as `user_…_session_ID`. `None` for other values.
pub fn session_from_user_id(user_id: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct UserId {
        session_id: String,
    }
    if user_id.starts_with('{') {
        return serde_json::from_str::<UserId>(user_id).ok().map(|user| user.session_id);
    }
    let (user, session) = user_id.rsplit_once("_session_")?;
    (user.starts_with("user_") && !session.is_empty()).then(|| session.to_owned())
}

/// The start of the first text in Claude Code's system prompt, which identifies the billed account. The text differs
/// between sessions, which would split prompt caches, and other providers ignore it.
pub const BILLING_PREFIX: &str = "x-anthropic-billing-header:";

/// Returns whether a billing text (see [`BILLING_PREFIX`]) belongs to a sub-agent.
pub fn is_subagent_billing(billing: &str) -> bool {
    billing.contains("cc_is_subagent=true")
}

/// A client that is recognised by its system prompt and adds text to the user's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptClient {
    /// aider, which sends no user agent of its own. It appends rules to the text.
    Aider,
    /// opencode. Its command `run` encloses an argument with white space in quotation marks.
    OpenCode,
}

impl PromptClient {
    /// Recognises a client by the first words of a system prompt; `None` for other clients, and for a prompt that the
    /// user wrote.
    pub fn of_prompt(system_prompt: &str) -> Option<Self> {
        if system_prompt.starts_with("Act as an expert ") {
            return Some(Self::Aider);
        }
        let start = system_prompt.get(..OPENCODE_PROMPT_START.len())?;
        start.eq_ignore_ascii_case(OPENCODE_PROMPT_START).then_some(Self::OpenCode)
    }
}

/// The first words of opencode's system prompts, which differ in upper and lower case.
const OPENCODE_PROMPT_START: &str = "You are opencode";

/// The text before the path of the working directory in prompts of Claude Code and opencode. Its first letter, which is
/// capital or small, is omitted.
pub const WORKING_DIRECTORY_MARKER: &str = "orking directory: ";

/// The tag before the path of the working directory in prompts of Codex.
pub const CODEX_DIRECTORY_MARKER: &str = "<cwd>";

/// The texts before the path of the working directory in prompts of two versions of Gemini CLI, as the content of a
/// JSON string: `\n` is a backslash and a letter.
pub const GEMINI_DIRECTORY_MARKERS: [&str; 2] = ["Workspace Directories:**\\n  - ", "working in the directory: "];

/// Extracts the working directory from Codex's description of its environment, where it is enclosed in `<cwd>`. `None`
/// if the text has no such element, or if it is empty.
pub fn find_codex_directory(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(CODEX_DIRECTORY_MARKER)?;
    let (path, _) = rest.split_once("</cwd>")?;
    Some(path.trim()).filter(|path| !path.is_empty())
}

/// Returns whether a text of the role `user` may be injected by the client and contain its working directory: a quick
/// test before the search for the directory.
///
/// `json_text` is the content of a JSON string, with its escapes.
pub fn may_name_directory(json_text: &str) -> bool {
    json_text.starts_with(['<', '\\']) || json_text.contains("Gemini CLI")
}

#[cfg(test)]
mod tests {
    use super::{find_codex_directory, parse_user_agent, session_from_user_id};

    #[test]
    fn clients_are_identified_by_their_user_agent() {
        let check = |user_agent: &str, client: Option<&str>, version: Option<&str>| {
            assert_eq!(parse_user_agent(user_agent), (client, version), "{user_agent}");
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

    #[test]
    fn a_session_is_found_in_both_forms_of_user_id_and_in_no_other() {
        let id = "2074f0b6-0000-4000-8000-9825be318b14";
        assert_eq!(session_from_user_id(&format!(r#"{{"device_id":"d","session_id":"{id}"}}"#)).as_deref(), Some(id));
        assert_eq!(session_from_user_id(&format!("user_0af3_account_99_session_{id}")).as_deref(), Some(id));
        for user in ["user-17", "", "{", r#"{"session_id":7}"#, "a_session_b", "user_1_session_"] {
            assert_eq!(session_from_user_id(user), None, "{user}");
        }
    }

    #[test]
    fn codex_names_its_directory_in_an_element() {
        assert_eq!(
            find_codex_directory("<environment_context>\n  <cwd>/home/dev/shop</cwd>\n"),
            Some("/home/dev/shop")
        );
        assert_eq!(find_codex_directory("<cwd> </cwd>"), None);
    }
}
