//! Folds the head of a session and the context of a turn, and detects copied lines.

use contracts::{Parent, SessionId, ThreadId, events::SessionSource};
use event_core::Timestamp;

use super::{Fold, LineContext};
use crate::{observed::ObservedSession, session_file::parse_rfc3339};

/// State while reading the lines that a forked session copied from another session's file.
#[derive(Debug)]
pub(super) struct CopiedHistory {
    /// Time at which the file's own session began.
    began_at: Timestamp,
    /// Time at which the copy was written.
    written_at: Timestamp,
    /// Whether ids of turns contain their start time.
    has_time_in_ids: bool,
}

/// Name of the client, as the gateway records it.
const CLIENT: &str = "codex";
/// Time within which all copied lines are written, in microseconds.
const MAX_COPY_MICROS: u64 = 1_000_000;

impl Fold {
    /// Reads a `session_meta` line, the head of a session file. The first one describes the session. A second one, of
    /// another session, starts a copy of that session's history.
    pub(super) fn fold_head(&mut self, context: &LineContext<'_>) -> Result<(), String> {
        let (at, head) = (context.at, context.payload);
        let began = head.timestamp.get().and_then(parse_rfc3339).unwrap_or(at);
        let id = head.id.get().or(head.session_id.get());
        if self.session.is_some() {
            match id {
                Some(id) if self.own_id.as_deref() == Some(id) => {
                    self.thread.was_left |= self.thread.last_counts.is_some();
                }
                _ if self.copied.is_some() => self.skipped.repeated += 1,
                _ => {
                    let began = self.session.as_ref().map_or(began, |session| session.started_at);
                    self.set_parent(id);
                    self.copied = Some(CopiedHistory { began_at: began, written_at: at, has_time_in_ids: false });
                    self.skipped.repeated += 1;
                }
            }
            return Ok(());
        }
        let root = head.session_id.get().or(head.source.parent.as_deref()).or(head.parent_thread_id.get());
        let root = root.or(id).and_then(|root| SessionId::try_from(root).ok()).or_else(|| self.fallback.clone());
        let session = root.ok_or("the session has no id")?;
        self.agent = id.filter(|id| *id != session.as_str()).and_then(|id| ThreadId::try_from(id).ok());
        self.own_id = Some(id.unwrap_or(session.as_str()).to_owned());
        if let Some(local @ ("ollama" | "lmstudio")) = head.model_provider.get() {
            local.clone_into(&mut self.thread.provider);
        }
        self.session = Some(ObservedSession {
            id: session,
            source: SessionSource::Codex,
            workspace: head.cwd.get().map(str::to_owned),
            client: Some(head.cli_version.get().map_or(CLIENT.to_owned(), |version| format!("{CLIENT} {version}"))),
            started_at: began,
            parent: None,
        });
        self.set_parent(head.forked_from_id.get());
        Ok(())
    }

    /// Records the session that a copied history comes from as the parent of the session, unless the two are the same,
    /// as for a sub-agent.
    fn set_parent(&mut self, id: Option<&str>) {
        let Some(parent) = id.and_then(|id| SessionId::try_from(id).ok()) else { return };
        if let Some(session) = self.session.as_mut().filter(|session| session.id != parent) {
            session.parent = Some(Parent { session: parent, turn: None, tool_call: None });
        }
    }

    /// Creates the session from the file name if the head of the file is missing or cannot be read. `None` if the name
    /// of the file contains no session id either.
    pub(super) fn ensure_session(&mut self, at: Timestamp) -> Option<()> {
        if self.session.is_none() {
            let id = self.fallback.clone()?;
            self.own_id = Some(id.as_str().to_owned());
            let (source, client) = (SessionSource::Codex, Some(CLIENT.to_owned()));
            self.session = Some(ObservedSession { id, source, workspace: None, client, started_at: at, parent: None });
        }
        Some(())
    }

    /// Ends the copied history if this line is not part of it. That is the first turn that began after the session or,
    /// in versions without times in ids, the first line written later than the copy.
    pub(super) fn end_copy_if_own(&mut self, kind: &str, context: &LineContext<'_>) {
        let Some(copied) = &mut self.copied else { return };
        let is_turn_start =
            kind == "turn_context" || matches!(context.payload.kind.text(), "task_started" | "turn_started");
        let turn = if is_turn_start { context.payload.turn_id.get().and_then(time_in_id) } else { None };
        let is_own_line = match turn {
            Some(millis) => {
                copied.has_time_in_ids = true;
                copied.began_at.0 / 1_000 <= millis
            }
            None => !copied.has_time_in_ids && MAX_COPY_MICROS < context.at.micros_since(copied.written_at),
        };
        if is_own_line {
            self.end_running_turn(Some(context.at));
            self.copied = None;
        } else {
            self.skipped.repeated += 1;
        }
    }

    /// Reads a `turn_context` line of a Codex session file: the id of the turn, its model and its workspace.
    pub(super) fn fold_turn_context(&mut self, context: &LineContext<'_>) {
        let payload = context.payload;
        if payload.turn_id.get().is_some() {
            self.begin_task(payload.turn_id.get(), context.at, false);
        }
        if let Some(model) = payload.model.get() {
            self.thread.model = Some(model.to_owned());
        }
        if let Some(session) = &mut self.session {
            session.workspace = session.workspace.take().or_else(|| payload.cwd.get().map(str::to_owned));
        }
    }
}

/// Returns the time in a UUID of version 7 (RFC 9562), in milliseconds since 1970; `None` for other ids.
fn time_in_id(id: &str) -> Option<u64> {
    let digits: String = id.chars().filter(|c| *c != '-').collect();
    (id.len() == 36 && digits.len() == 32 && digits.is_ascii() && digits.as_bytes().get(12) == Some(&b'7'))
        .then(|| u64::from_str_radix(&digits[..12], 16).ok())?
}
