//! Identifies the session, thread and client of a request from its headers and body.
//!
//! Three families of headers are in use. Claude Code sends the session, the sub-agent and the parent of the sub-agent.
//! Codex sends the session and the thread, which are equal for the main thread. opencode starts a session for each
//! sub-agent and sends the session and its parent.

use client_formats::client::{
    self, CodexTurnMetadata,
    headers::{
        CLAUDE_CODE_AGENT, CLAUDE_CODE_PARENT, CLAUDE_CODE_SESSION, CODEX_PARENT, CODEX_SESSION, CODEX_SUBAGENT,
        CODEX_THREAD, CODEX_TURN_METADATA, OPENCODE_AFFINITY, OPENCODE_PARENT, OPENCODE_SESSION,
    },
};

use crate::request_summary::Identity;

/// The maximum length of an id in bytes; longer ones are truncated.
const MAX_ID_BYTES: usize = 128;

/// The maximum length of a path in bytes; longer ones are ignored.
const MAX_PATH_BYTES: usize = 1024;

/// The maximum length of a version in bytes; longer ones are truncated.
const MAX_VERSION_BYTES: usize = 40;

/// The maximum length of `x-codex-turn-metadata` in bytes; longer ones are ignored.
const MAX_METADATA_BYTES: usize = 16 * 1024;

/// The session, thread and client of a request. The client chooses the values, so they are shortened and stripped of
/// control characters, and must not be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lineage {
    /// The session, which contains all threads of one conversation; at most 128 bytes. `None` if neither headers nor
    /// body contain it.
    pub session: Option<String>,
    /// The sub-agent's thread; `None` for the main thread.
    pub thread: Option<String>,
    /// The thread that started this one; `None` if it is the main thread, or unknown.
    pub parent: Option<String>,
    /// Whether the request is from a sub-agent.
    pub subagent: bool,
    /// The client: `claude-code`, `codex`, `opencode`, `gemini-cli`, `aider`, `anthropic-sdk`, `openai-sdk` or `other`;
    /// `None` if it sends no user agent. A program that uses an SDK has the name of the SDK.
    pub client: Option<String>,
    /// The version in the client's user agent; `None` if unknown.
    pub client_version: Option<String>,
    /// The absolute path of the client's working directory, at most 1,024 bytes; `None` if unknown.
    pub workspace: Option<String>,
}

/// The ids and the client that the headers of a request contain. Ids are stored separately for each client whose
/// headers they were read from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientHeaders {
    /// Ids in the headers of Claude Code.
    claude: HeaderIds,
    /// Ids in the headers of Codex.
    codex: HeaderIds,
    /// Ids in the headers of opencode.
    opencode: HeaderIds,
    /// The client according to the user agent; `None` if there is no user agent.
    client: Option<&'static str>,
    /// The version in the user agent; `None` if it has none.
    version: Option<String>,
}

/// The ids in the headers of one client; `None` for headers that are missing or empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct HeaderIds {
    /// The session.
    session: Option<String>,
    /// The thread within the session: a sub-agent, or for Codex also the main thread.
    thread: Option<String>,
    /// The thread or session that started this one.
    parent: Option<String>,
    /// Whether the headers identify a sub-agent.
    subagent: bool,
}

impl ClientHeaders {
    /// Extracts ids, client and version from the names and values of a request's headers. Names may be in upper or
    /// lower case; other headers are ignored.
    pub fn parse<'h>(headers: impl IntoIterator<Item = (&'h str, &'h str)>) -> Self {
        let mut identity = Self::default();
        let (mut metadata, mut affinity) = (CodexTurnMetadata::default(), None);
        for (name, value) in headers {
            let is_header = |header_name: &str| name.eq_ignore_ascii_case(header_name);
            if is_header("user-agent") {
                let (client, version) = client::parse_user_agent(value);
                identity.client = client;
                identity.version = version.and_then(|version| clean_id(version, MAX_VERSION_BYTES));
            } else if is_header(CLAUDE_CODE_SESSION) {
                identity.claude.session = clean_id(value, MAX_ID_BYTES);
            } else if is_header(CLAUDE_CODE_AGENT) {
                identity.claude.thread = clean_id(value, MAX_ID_BYTES);
            } else if is_header(CLAUDE_CODE_PARENT) {
                identity.claude.parent = clean_id(value, MAX_ID_BYTES);
            } else if CODEX_SESSION.into_iter().any(is_header) {
                identity.codex.session = clean_id(value, MAX_ID_BYTES);
            } else if is_header(CODEX_THREAD) {
                identity.codex.thread = clean_id(value, MAX_ID_BYTES);
            } else if is_header(CODEX_PARENT) {
                identity.codex.parent = clean_id(value, MAX_ID_BYTES);
            } else if is_header(CODEX_SUBAGENT) {
                identity.codex.subagent |= client::is_codex_subagent(value);
            } else if is_header(CODEX_TURN_METADATA) && value.len() <= MAX_METADATA_BYTES {
                metadata = serde_json::from_str(value).unwrap_or_default();
            } else if is_header(OPENCODE_SESSION) {
                identity.opencode.thread = clean_id(value, MAX_ID_BYTES);
            } else if is_header(OPENCODE_AFFINITY) {
                affinity = clean_id(value, MAX_ID_BYTES);
            } else if is_header(OPENCODE_PARENT) {
                identity.opencode.parent = clean_id(value, MAX_ID_BYTES);
            }
        }
        identity.opencode.thread = identity.opencode.thread.take().or(affinity);
        identity.complete(metadata);
        identity
    }

    /// Adds the ids that the headers of a client only imply: Codex's ids from its metadata, and which requests are from
    /// sub-agents. In opencode, the parent of a sub-agent becomes its session.
    fn complete(&mut self, metadata: CodexTurnMetadata) {
        let clean = |id: Option<String>| id.and_then(|id| clean_id(&id, MAX_ID_BYTES));
        let codex = &mut self.codex;
        codex.session = codex.session.take().or(clean(metadata.session_id));
        codex.thread = codex.thread.take().or(clean(metadata.thread_id));
        codex.parent = codex.parent.take().or(clean(metadata.parent_thread_id));
        codex.subagent |= metadata.thread_source.as_deref() == Some("subagent");
        self.claude.subagent = self.claude.thread.is_some();
        let opencode = &mut self.opencode;
        opencode.subagent = opencode.parent.is_some();
        opencode.session = opencode.parent.take().or(opencode.thread.clone());
    }

    /// Returns the ids of the client whose session header is present: Claude Code before opencode; otherwise those of
    /// Codex, which may be empty.
    fn preferred_ids(&self) -> &HeaderIds {
        [&self.claude, &self.opencode].into_iter().find(|ids| ids.session.is_some()).unwrap_or(&self.codex)
    }
}

/// Combines the ids from headers and body; the headers take precedence. `body` is `None` if the body was not inspected.
/// A thread with the id of the session is the main thread, which has no id in the result.
pub fn resolve_lineage(headers: &ClientHeaders, body: Option<&Identity>) -> Lineage {
    let none = Identity::default();
    let (body, ids) = (body.unwrap_or(&none), headers.preferred_ids());
    let clean = |id: &Option<String>| id.as_deref().and_then(|id| clean_id(id, MAX_ID_BYTES));
    let client = body.client.or(headers.client);
    let key = if client.is_some_and(client::sends_session_as_cache_key) { clean(&body.cache_key) } else { None };
    let session = ids.session.clone().or_else(|| clean(&body.session)).or(key);
    let is_main = |thread: &String| Some(thread) == session.as_ref();
    Lineage {
        thread: ids.thread.clone().or_else(|| clean(&body.thread)).filter(|thread| !is_main(thread)),
        parent: ids.parent.clone().or_else(|| clean(&body.parent)).filter(|parent| !is_main(parent)),
        subagent: ids.subagent || body.subagent,
        client: client.map(str::to_owned),
        // Then the headers name only the SDK that the client uses.
        client_version: headers.version.clone().filter(|_| body.client.is_none()),
        workspace: body.workspace.as_deref().and_then(|path| valid_path(path, MAX_PATH_BYTES)),
        session,
    }
}

/// Removes white space and control characters from an id, and truncates it to `max_bytes` bytes at a character
/// boundary; `None` if the result is empty.
fn clean_id(name: &str, max_bytes: usize) -> Option<String> {
    let mut clean = String::new();
    for character in name.chars().filter(|character| !character.is_control() && !character.is_whitespace()) {
        if clean.len() + character.len_utf8() > max_bytes {
            break;
        }
        clean.push(character);
    }
    (!clean.is_empty()).then_some(clean)
}

/// Returns the path; `None` if it is empty, longer than `max_bytes` bytes or has control characters.
fn valid_path(path: &str, max_bytes: usize) -> Option<String> {
    (path.len() <= max_bytes && !path.is_empty() && !path.contains(char::is_control)).then(|| path.to_owned())
}

#[cfg(test)]
mod tests;
