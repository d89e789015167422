//! Who asks: the session, the thread in it and the client, from headers and body.
//!
//! Three families of headers are in use. Claude Code names the session, the sub-agent and the sub-agent that started
//! it. Codex names the session and the thread, which are the same on the main line. opencode gives a sub-agent a
//! session of its own and names the one that started it.

mod client;

use serde::Deserialize;

use crate::request::Identity;

/// The longest id that is kept, in bytes.
const MAX_ID_BYTES: usize = 128;

/// The longest path that is kept, in bytes.
const MAX_PATH_BYTES: usize = 1024;

/// The longest `x-codex-turn-metadata` that is read, in bytes.
const MAX_METADATA_BYTES: usize = 16 * 1024;

/// Where a request belongs. All of it is what clients say, cut to a length and cleaned, and proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lineage {
    /// The session: all threads of one conversation. At most 128 bytes, like all ids here.
    pub session: Option<String>,
    /// The sub-agent's thread; `None` on the session's main line.
    pub thread: Option<String>,
    /// The thread that started this one; `None` when that is the main line, or nobody says.
    pub parent: Option<String>,
    /// Whether a sub-agent asks.
    pub subagent: bool,
    /// The client by its usual name: `claude-code`, `codex`, `opencode`, `gemini-cli`, `aider`, `anthropic-sdk`,
    /// `openai-sdk` or `other`; `None` when it says nothing about itself. What uses an SDK looks like the SDK.
    pub client: Option<String>,
    /// The client's version.
    pub client_version: Option<String>,
    /// The absolute path of the directory it works in; at most 1,024 bytes.
    pub workspace: Option<String>,
}

/// What the headers of a request say about who asks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientHeaders {
    claude: Family,
    codex: Family,
    opencode: Family,
    client: Option<&'static str>,
    version: Option<String>,
}

/// What one family of headers says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Family {
    session: Option<String>,
    thread: Option<String>,
    parent: Option<String>,
    subagent: bool,
}

/// `x-codex-turn-metadata`, which says again what other headers say.
#[derive(Deserialize, Default)]
#[serde(default)]
struct TurnMetadata {
    session_id: Option<String>,
    thread_id: Option<String>,
    parent_thread_id: Option<String>,
    thread_source: Option<String>,
}

impl ClientHeaders {
    /// Reads the headers of a request; names in any case.
    pub fn read<'h>(headers: impl IntoIterator<Item = (&'h str, &'h str)>) -> Self {
        let mut read = Self::default();
        let (mut metadata, mut affinity) = (TurnMetadata::default(), None);
        for (name, value) in headers {
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            if is("user-agent") {
                (read.client, read.version) = client::named(value);
            } else if is("x-claude-code-session-id") {
                read.claude.session = cleaned(value, MAX_ID_BYTES);
            } else if is("x-claude-code-agent-id") {
                read.claude.thread = cleaned(value, MAX_ID_BYTES);
            } else if is("x-claude-code-parent-agent-id") {
                read.claude.parent = cleaned(value, MAX_ID_BYTES);
            } else if is("session-id") || is("session_id") {
                read.codex.session = cleaned(value, MAX_ID_BYTES);
            } else if is("thread-id") {
                read.codex.thread = cleaned(value, MAX_ID_BYTES);
            } else if is("x-codex-parent-thread-id") {
                read.codex.parent = cleaned(value, MAX_ID_BYTES);
            } else if is("x-openai-subagent") {
                // A compaction is work of the thread itself.
                read.codex.subagent |= value != "compact";
            } else if is("x-codex-turn-metadata") && value.len() <= MAX_METADATA_BYTES {
                metadata = serde_json::from_str(value).unwrap_or_default();
            } else if is("x-session-id") {
                read.opencode.thread = cleaned(value, MAX_ID_BYTES);
            } else if is("x-session-affinity") {
                affinity = cleaned(value, MAX_ID_BYTES);
            } else if is("x-parent-session-id") {
                read.opencode.parent = cleaned(value, MAX_ID_BYTES);
            }
        }
        read.opencode.thread = read.opencode.thread.take().or(affinity);
        read.settle(metadata);
        read
    }

    fn settle(&mut self, metadata: TurnMetadata) {
        let clean = |id: Option<String>| id.and_then(|id| cleaned(&id, MAX_ID_BYTES));
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

    /// The family that speaks, the one with the most to say first.
    fn family(&self) -> &Family {
        [&self.claude, &self.opencode].into_iter().find(|family| family.session.is_some()).unwrap_or(&self.codex)
    }
}

/// Where a request belongs, by its headers and, where they are silent, by its body.
pub fn identify(headers: &ClientHeaders, body: Option<&Identity>) -> Lineage {
    let none = Identity::default();
    let (body, family) = (body.unwrap_or(&none), headers.family());
    let clean = |id: &Option<String>| id.as_deref().and_then(|id| cleaned(id, MAX_ID_BYTES));
    let client = body.client.or(headers.client);
    // Everybody may send a cache key, but only these agents send their session as one.
    let key = if matches!(client, Some("codex" | "opencode")) { clean(&body.cache_key) } else { None };
    let session = family.session.clone().or_else(|| clean(&body.session)).or(key);
    let is_main = |thread: &String| Some(thread) == session.as_ref();
    Lineage {
        thread: family.thread.clone().or_else(|| clean(&body.thread)).filter(|thread| !is_main(thread)),
        parent: family.parent.clone().or_else(|| clean(&body.parent)).filter(|parent| !is_main(parent)),
        subagent: family.subagent || body.subagent,
        client: client.map(str::to_owned),
        // What the headers name is then only the SDK that the client uses.
        client_version: headers.version.clone().filter(|_| body.client.is_none()),
        workspace: body.workspace.as_deref().and_then(|path| path_of(path, MAX_PATH_BYTES)),
        session,
    }
}

/// A name without white space and control characters, cut to a length; `None` when nothing is left.
fn cleaned(name: &str, most: usize) -> Option<String> {
    let mut clean = String::new();
    for character in name.chars().filter(|character| !character.is_control() && !character.is_whitespace()) {
        if clean.len() + character.len_utf8() > most {
            break;
        }
        clean.push(character);
    }
    (!clean.is_empty()).then_some(clean)
}

/// A path as it is, unless it is too long to be one or holds control characters.
fn path_of(path: &str, most: usize) -> Option<String> {
    (path.len() <= most && !path.is_empty() && !path.contains(char::is_control)).then(|| path.to_owned())
}

#[cfg(test)]
mod tests;
