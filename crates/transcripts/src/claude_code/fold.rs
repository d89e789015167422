//! Folds the lines of a session file into turns: the reader state after each line determines to which turn the next
//! line belongs.
//!
//! The *main conversation* and each *sub-agent* of a session are a thread of their own. The *running turn* of a thread
//! is the one whose end was not read yet.

mod assistant_line;
mod note_line;
mod user_line;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use contracts::{SessionId, ThreadId, events::SessionSource};
use event_core::{EventId, Timestamp};

use super::{
    line::{Line, Message},
    reader::Skipped,
    thread::{OpenTurn, Thread, ThreadKey},
};
use crate::observed::{ObservedResumption, ObservedSession, ObservedTurn, Step};

/// State of the session file reader between two lines. [`Fold::push`] reads a line, and `ready` contains the turns that
/// are finished.
#[derive(Debug)]
pub(super) struct Fold {
    /// Session id for lines without one, derived from the file name.
    fallback: Option<SessionId>,
    /// The session, from the first line that contains its id.
    pub(super) session: Option<ObservedSession>,
    /// Counts of lines dropped by design.
    pub(super) skipped: Skipped,
    /// Finished turns that the reader has not returned yet, in order.
    pub(super) ready: VecDeque<ObservedTurn>,
    /// Running turn of the main conversation and the turns of its sub-agents, in order of start.
    batch: Vec<OpenTurn>,
    /// State of each thread of the session.
    threads: BTreeMap<ThreadKey, Thread>,
    /// Sub-agent of each line without an `agentId`, by the hash of the line's `uuid`.
    links: HashMap<EventId, ThreadId>,
    /// Hashes of the `uuid`s of all lines so far.
    seen_lines: HashSet<EventId>,
    /// Ids of all calls so far.
    seen_calls: HashSet<EventId>,
}

/// Thread, session, ids and time of the line of the session file that is being read.
struct LineContext<'a> {
    /// Thread of the line.
    key: ThreadKey,
    /// Session of the line.
    session: SessionId,
    /// Id of the line.
    uuid: &'a str,
    /// Id of the line's parent; empty if it has none.
    parent: &'a str,
    /// Time of the line.
    at: Timestamp,
}

/// Name of the client, as the gateway records it.
const CLIENT: &str = "claude-code";
/// Type of the lines that the client writes when it opens an old session. Inside a file, one means that the user left
/// the session before.
const SESSION_LEFT: &str = "summary";
/// Known line types that contain nothing about turns.
const IGNORED_TYPES: [&str; 9] = [
    "queue-operation",
    "pr-link",
    "file-history-snapshot",
    "attachment",
    "progress",
    "custom-title",
    "ai-title",
    "last-prompt",
    "permission-mode",
];

impl Fold {
    /// Creates a fold that has read nothing. `fallback` is the session for lines without a session id.
    pub(super) fn new(fallback: Option<SessionId>) -> Self {
        Self {
            fallback,
            session: None,
            skipped: Skipped::default(),
            ready: VecDeque::new(),
            batch: Vec::new(),
            threads: BTreeMap::new(),
            links: HashMap::new(),
            seen_lines: HashSet::new(),
            seen_calls: HashSet::new(),
        }
    }

    /// Reads one line of the session file: adds it to the turn it belongs to, or starts or ends a turn.
    ///
    /// # Errors
    /// A description of the missing field if the line cannot be used.
    pub(super) fn push(&mut self, line: &Line<'_>) -> Result<(), String> {
        let kind = line.kind.text();
        if !matches!(kind, "user" | "assistant" | "system") {
            if kind == SESSION_LEFT {
                self.thread(&ThreadKey::MAIN).leave();
            } else if !IGNORED_TYPES.contains(&kind) {
                self.skipped.count_unknown(kind);
            }
            return Ok(());
        }
        let uuid = line.uuid.get().ok_or_else(|| format!("a line of type `{kind}` has no `uuid`"))?;
        let at = line.at().ok_or_else(|| format!("a line of type `{kind}` has no `timestamp` that is a time"))?;
        if !self.seen_lines.insert(EventId::derive(&[uuid.as_bytes()])) {
            self.skipped.repeated += 1;
            return Ok(());
        }
        let session = self.ensure_session(line, at).ok_or("the line names no session")?;
        let key = self.thread_key(line, uuid);
        let context = LineContext { key, session, uuid, parent: line.parent_uuid.text(), at };
        let no_message = Message::default();
        let message = line.message.as_ref().unwrap_or(&no_message);
        match kind {
            "assistant" if line.is_api_error_message.0 => self.add_error_message(&context, line, message),
            "assistant" if message.model.text() == "<synthetic>" => {}
            "assistant" => self.add_response_line(&context, line, message),
            "user" => self.fold_user_line(&context, line, message),
            _ => self.fold_system_line(&context, line),
        }
        self.thread(&context.key).last_at = Some(at);
        Ok(())
    }

    /// Finishes all open turns at the end of the file.
    pub(super) fn finish(&mut self) {
        for mut open in self.batch.drain(..) {
            open.finish(None);
            self.ready.push_back(open.turn);
        }
    }

    /// Returns the session id of a line, and records the workspace and client version that the line contains. `None` if
    /// neither the line nor the file name has a session id.
    fn ensure_session(&mut self, line: &Line<'_>, at: Timestamp) -> Option<SessionId> {
        let recorded_id = SessionId::try_from(line.session_id.text()).ok();
        let id = recorded_id.clone().or_else(|| self.fallback.clone())?;
        let session = self.session.get_or_insert(ObservedSession {
            id,
            source: SessionSource::ClaudeCode,
            workspace: None,
            client: Some(CLIENT.to_owned()),
            started_at: at,
            parent: None,
        });
        session.workspace = session.workspace.take().or_else(|| line.cwd.get().map(str::to_owned));
        if let Some(version) = line.version.get()
            && session.client.as_deref() == Some(CLIENT)
        {
            session.client = Some(format!("{CLIENT} {version}"));
        }
        Some(recorded_id.unwrap_or_else(|| session.id.clone()))
    }

    /// Returns the thread that a line belongs to: the main conversation or a sub-agent. A sub-agent without an
    /// `agentId` is identified by the first line in the line's chain of parents.
    fn thread_key(&mut self, line: &Line<'_>, uuid: &str) -> ThreadKey {
        if let Some(agent) = line.agent_id.get().and_then(|agent| ThreadId::try_from(agent).ok()) {
            return ThreadKey(Some(agent));
        }
        if !line.is_sidechain.0 {
            return ThreadKey::MAIN;
        }
        let link = |uuid: &str| EventId::derive(&[uuid.as_bytes()]);
        let parent = line.parent_uuid.get().and_then(|parent| self.links.get(&link(parent)).cloned());
        let thread = parent.or_else(|| ThreadId::try_from(uuid).ok());
        if let Some(thread) = &thread {
            self.links.insert(link(uuid), thread.clone());
        }
        ThreadKey(thread)
    }

    /// Returns the state of a thread; creates it if there is none.
    fn thread(&mut self, key: &ThreadKey) -> &mut Thread {
        self.threads.entry(key.clone()).or_insert_with(Thread::new)
    }

    /// Returns the running turn of a thread. `None` if no turn of the thread is running.
    fn running(&mut self, key: &ThreadKey) -> Option<&mut OpenTurn> {
        let index = self.threads.get(key)?.turn?;
        self.batch.get_mut(index)
    }

    /// Returns the turn that a model call, or its failure, belongs to, and starts one if necessary. The first call
    /// after a slash command starts the turn of that command. Any other call belongs to the running turn of its thread
    /// or, if none is running, to a new turn without a message.
    fn turn_for(&mut self, context: &LineContext<'_>) -> Option<&mut OpenTurn> {
        if let Some(candidate) = self.thread(&context.key).candidate.take() {
            self.start(candidate);
        } else if self.running(&context.key).is_none() {
            let name = if context.parent.is_empty() { context.uuid } else { context.parent };
            let state = self.thread(&context.key).before.clone();
            self.start(OpenTurn::new(
                context.session.clone(),
                context.key.clone(),
                name.to_owned(),
                context.at,
                String::new(),
                false,
                state,
            ));
        }
        self.running(&context.key)
    }

    /// Returns the step that records that the user reopened the session, if the user had left it; `None` otherwise. The
    /// session then no longer counts as left.
    fn resumed(&mut self, key: &ThreadKey, id: &str, at: Timestamp) -> Option<Step> {
        std::mem::take(&mut self.thread(key).was_left)
            .then(|| Step::Resumed(ObservedResumption { id: id.to_owned(), at }))
    }

    /// Starts a turn and ends the previous one of the same thread. A turn of the main conversation also ends the turns
    /// of all sub-agents.
    fn start(&mut self, mut turn: OpenTurn) {
        let start = turn.turn.started_at;
        let name = turn.turn.name.clone();
        let resumption = self.resumed(&turn.key, &name, start);
        let early_compactions = std::mem::take(&mut self.thread(&turn.key).early_compactions);
        turn.turn.steps.extend(resumption.into_iter().chain(early_compactions.into_iter().map(Step::Compacted)));
        let is_main = turn.key.is_main();
        let has_running_main_turn = self.running(&ThreadKey::MAIN).is_some();
        if is_main || !has_running_main_turn {
            for mut open in self.batch.drain(..) {
                open.finish(Some(start));
                self.ready.push_back(open.turn);
            }
            self.threads.values_mut().for_each(|thread| thread.turn = None);
            if is_main {
                self.threads.retain(|key, _| key.is_main());
                self.links.clear();
            }
        } else if let Some(open) = self.running(&turn.key) {
            open.finish(Some(start));
        }
        let index = self.batch.len();
        let key = turn.key.clone();
        self.batch.push(turn);
        self.thread(&key).turn = Some(index);
    }
}
