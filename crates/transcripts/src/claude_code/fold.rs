//! From lines to turns.

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

/// The state between two lines.
#[derive(Debug)]
pub(super) struct Fold {
    /// The session's name when no line gives one.
    fallback: Option<SessionId>,
    pub(super) session: Option<ObservedSession>,
    pub(super) skipped: Skipped,
    /// Turns that are done, in order.
    pub(super) ready: VecDeque<ObservedTurn>,
    /// The running turn of the main line and those of the sub-agents at work in it, in order of start.
    batch: Vec<OpenTurn>,
    threads: BTreeMap<ThreadKey, Thread>,
    /// Lines of sub-agents without a name, and the sub-agent each belongs to.
    links: HashMap<EventId, ThreadId>,
    seen_lines: HashSet<EventId>,
    seen_calls: HashSet<EventId>,
}

/// What every part of a line needs to know about it.
struct Place<'a> {
    key: ThreadKey,
    session: SessionId,
    uuid: &'a str,
    parent: &'a str,
    at: Timestamp,
}

/// The client writes these when it opens an old session; within a file it says that the session was left before.
const LEFT: &str = "summary";
const DROPPED: [&str; 9] = [
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

    /// Takes one line.
    ///
    /// # Errors
    /// What is missing from a line that should matter.
    pub(super) fn push(&mut self, line: &Line<'_>) -> Result<(), String> {
        let kind = line.kind.text();
        if !matches!(kind, "user" | "assistant" | "system") {
            if kind == LEFT {
                self.thread(&ThreadKey::MAIN).leave();
            } else if !DROPPED.contains(&kind) {
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
        let session = self.note_session(line, at).ok_or("the line names no session")?;
        let key = self.key_of(line, uuid);
        let place = Place { key, session, uuid, parent: line.parent_uuid.text(), at };
        let no_message = Message::default();
        let message = line.message.as_ref().unwrap_or(&no_message);
        match kind {
            "assistant" if line.is_api_error_message.0 => self.failed(&place, line, message),
            "assistant" if message.model.text() == "<synthetic>" => {}
            "assistant" => self.answered(&place, line, message),
            "user" => self.user(&place, line, message),
            _ => self.system(&place, line),
        }
        self.thread(&place.key).last_at = Some(at);
        Ok(())
    }

    /// Ends what is left at the end of the file.
    pub(super) fn finish(&mut self) {
        for mut open in self.batch.drain(..) {
            open.finish(None);
            self.ready.push_back(open.turn);
        }
    }

    fn note_session(&mut self, line: &Line<'_>, at: Timestamp) -> Option<SessionId> {
        let named = SessionId::try_from(line.session_id.text()).ok();
        let id = named.clone().or_else(|| self.fallback.clone())?;
        let session = self.session.get_or_insert(ObservedSession {
            id,
            source: SessionSource::ClaudeCode,
            workspace: None,
            client: None,
            started_at: at,
        });
        session.workspace = session.workspace.take().or_else(|| line.cwd.get().map(str::to_owned));
        session.client = session.client.take().or_else(|| line.version.get().map(str::to_owned));
        Some(named.unwrap_or_else(|| session.id.clone()))
    }

    fn key_of(&mut self, line: &Line<'_>, uuid: &str) -> ThreadKey {
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

    fn thread(&mut self, key: &ThreadKey) -> &mut Thread {
        self.threads.entry(key.clone()).or_insert_with(Thread::new)
    }

    /// The running turn of a thread.
    fn running(&mut self, key: &ThreadKey) -> Option<&mut OpenTurn> {
        let index = self.threads.get(key)?.turn?;
        self.batch.get_mut(index)
    }

    /// The turn a call or a failure belongs to: a waiting command, the running turn, or one without a message.
    fn turn_for(&mut self, place: &Place<'_>) -> Option<&mut OpenTurn> {
        if let Some(candidate) = self.thread(&place.key).candidate.take() {
            self.start(candidate);
        } else if self.running(&place.key).is_none() {
            let name = if place.parent.is_empty() { place.uuid } else { place.parent };
            let before = self.thread(&place.key).before.clone();
            self.start(OpenTurn::new(
                place.session.clone(),
                place.key.clone(),
                name.to_owned(),
                place.at,
                String::new(),
                false,
                before,
            ));
        }
        self.running(&place.key)
    }

    /// That the session was opened again, when the user had left it and now it goes on.
    fn resumed(&mut self, key: &ThreadKey, id: &str, at: Timestamp) -> Option<Step> {
        std::mem::take(&mut self.thread(key).left).then(|| Step::Resumed(ObservedResumption { id: id.to_owned(), at }))
    }

    /// Starts a turn, which ends the one before it in the same thread, and with a turn of the main line the whole
    /// batch.
    fn start(&mut self, mut turn: OpenTurn) {
        let next = turn.turn.started_at;
        let name = turn.turn.name.clone();
        let resumed = self.resumed(&turn.key, &name, next);
        let early = std::mem::take(&mut self.thread(&turn.key).early);
        turn.turn.steps.extend(resumed.into_iter().chain(early.into_iter().map(Step::Compacted)));
        let main = turn.key.is_main();
        let main_running = self.running(&ThreadKey::MAIN).is_some();
        if main || !main_running {
            for mut open in self.batch.drain(..) {
                open.finish(Some(next));
                self.ready.push_back(open.turn);
            }
            self.threads.values_mut().for_each(|thread| thread.turn = None);
            if main {
                self.threads.retain(|key, _| key.is_main());
                self.links.clear();
            }
        } else if let Some(open) = self.running(&turn.key) {
            open.finish(Some(next));
        }
        let index = self.batch.len();
        let key = turn.key.clone();
        self.batch.push(turn);
        self.thread(&key).turn = Some(index);
    }
}
