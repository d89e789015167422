//! Who asks: the session, the thread in it and the client, from headers and body.

/// Where a request belongs. All of it is what clients say, cut to a length and cleaned, and proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lineage {
    /// The session: all threads of one conversation. At most 128 bytes, like all ids here.
    pub session: Option<String>,
    /// The sub-agent's thread; `None` on the session's main line.
    pub thread: Option<String>,
    /// The thread that started this one; `None` when that is the main line.
    pub parent: Option<String>,
    /// Whether a sub-agent asks.
    pub subagent: bool,
    /// The client by its usual name: `claude-code`, `codex`, `opencode`, `gemini-cli`, `aider`, `anthropic-sdk`,
    /// `openai-sdk` or `other`; `None` when it says nothing about itself.
    pub client: Option<String>,
    /// The client's version.
    pub client_version: Option<String>,
    /// The absolute path of the directory it works in.
    pub workspace: Option<String>,
}
