//! From lines to turns.

mod event_line;
mod head_line;
mod item_line;

use std::collections::VecDeque;

use contracts::{SessionId, ThreadId};
use event_core::Timestamp;

use super::{
    line::{Line, Payload},
    response::Response,
    thread::{Last, OpenTurn, Thread},
};
use crate::{
    observed::{ObservedResumption, ObservedSession, ObservedTurn, Step},
    session_file::{Skipped, in_text},
};

/// The state between two lines.
#[derive(Debug)]
pub(super) struct Fold {
    /// The session's name when no line gives one.
    fallback: Option<SessionId>,
    pub(super) session: Option<ObservedSession>,
    pub(super) skipped: Skipped,
    /// Turns that are done, in order.
    pub(super) ready: VecDeque<ObservedTurn>,
    /// The file's own id: that of its session, or of the sub-agent whose file it is.
    own: Option<String>,
    agent: Option<ThreadId>,
    copied: Option<head_line::Copied>,
    thread: Thread,
    task: Task,
    running: Option<OpenTurn>,
    /// A message that may be a turn: in a file that does not mark what the user typed.
    candidate: Option<Message>,
    /// The file marks what the user typed.
    marks_messages: bool,
    /// Messages in the history that have not been marked as typed yet.
    unmarked: u32,
    /// A compaction was told of, and its event may still come.
    compacted: bool,
    /// The file is of the old layout.
    bare: bool,
    line: u64,
    last_at: Option<Timestamp>,
}

/// What the client calls a turn, as far as it has said so: from a message to the end of all work on it.
#[derive(Debug, Default)]
struct Task {
    id: Option<String>,
    at: Timestamp,
    /// The file says when it begins, and so when it ends.
    says_end: bool,
    /// Turns in it so far.
    turns: u32,
}

/// What the user wrote.
#[derive(Debug)]
struct Message {
    text: String,
    images: u64,
}

/// Where a line stands in time and what it says.
struct Place<'a> {
    at: Timestamp,
    payload: &'a Payload<'a>,
}

impl Fold {
    pub(super) fn new(fallback: Option<SessionId>) -> Self {
        Self {
            fallback,
            session: None,
            skipped: Skipped::default(),
            ready: VecDeque::new(),
            own: None,
            agent: None,
            copied: None,
            thread: Thread::new(),
            task: Task::default(),
            running: None,
            candidate: None,
            marks_messages: false,
            unmarked: 0,
            compacted: false,
            bare: false,
            line: 0,
            last_at: None,
        }
    }

    /// Takes one line with a payload.
    ///
    /// # Errors
    /// What is missing from a line that should matter.
    pub(super) fn push(&mut self, number: u64, line: &Line<'_>, payload: &Payload<'_>) -> Result<(), String> {
        self.line = number;
        let kind = line.kind.text();
        let at = line.timestamp.get().and_then(in_text);
        let at = at.ok_or_else(|| format!("a line of type `{}` has no `timestamp` that is a time", named(kind)))?;
        self.take(kind, &Place { at, payload })
    }

    /// Takes one line of the old layout, which has the payload in the line itself and mostly no time.
    ///
    /// # Errors
    /// What is missing from a line that should matter.
    pub(super) fn push_bare(&mut self, number: u64, line: &Line<'_>, payload: &Payload<'_>) -> Result<(), String> {
        (self.line, self.bare) = (number, true);
        let kind = line.kind.text();
        if kind.is_empty() && line.record_type.get().is_some() {
            return Ok(());
        }
        let at = line.timestamp.get().and_then(in_text).or(self.last_at);
        let at = at.ok_or("nothing before this line has a `timestamp` that is a time")?;
        let place = Place { at, payload };
        match kind {
            "" if payload.id.get().is_some() => self.take("session_meta", &place),
            "session_meta" | "turn_context" | "compacted" | "token_usage_record" => self.take(kind, &place),
            "event_msg" | "response_item" => Err(format!("a line of type `{kind}` has no `payload`")),
            _ => self.take("response_item", &place),
        }
    }

    fn take(&mut self, kind: &str, place: &Place<'_>) -> Result<(), String> {
        self.last_at = Some(self.last_at.map_or(place.at, |last| last.max(place.at)));
        if kind == "session_meta" {
            return self.head(place);
        }
        self.note_session(place.at).ok_or("the line names no session")?;
        self.leave_copy(kind, place);
        match kind {
            "turn_context" => self.context(place),
            "response_item" => self.item(place),
            "event_msg" => self.event(place),
            "token_usage_record" => self.usage_record(place),
            "compacted" => self.compaction(place),
            "world_state" | "inter_agent_communication" | "inter_agent_communication_metadata" => {}
            _ => self.skipped.count_unknown(kind),
        }
        Ok(())
    }

    /// Ends what is left at the end of the file.
    pub(super) fn finish(&mut self) {
        self.close(None);
    }

    /// Ends the running turn because something else comes at `next`, or the file ends.
    fn close(&mut self, next: Option<Timestamp>) {
        let Some(mut open) = self.running.take() else { return };
        open.finish(next);
        // Nobody knows yet which message this will belong to.
        let too_early = open.without_message && open.says_end && open.turn.end.is_none();
        if open.without_message {
            open.compactions().for_each(|compaction| compaction.trigger = contracts::events::CompactionTrigger::Manual);
        }
        if !open.copied && !too_early {
            self.ready.push_back(open.turn);
        }
    }

    /// A turn of the client's begins, unless it is the one that is running.
    fn begin_task(&mut self, id: Option<&str>, at: Timestamp, says_end: bool) {
        if id.is_some() && id == self.task.id.as_deref() {
            self.task.says_end |= says_end;
            return;
        }
        self.close(Some(at));
        self.candidate = None;
        self.unmarked = 0;
        self.thread.last_input_at = Some(at);
        self.task = Task { id: id.map(str::to_owned), at, says_end, turns: 0 };
    }

    /// The name of the turn that starts now: from the client's own id of it, or from the line.
    fn next_name(&mut self) -> String {
        self.task.turns += 1;
        match (&self.task.id, self.task.turns) {
            (Some(id), 1) => id.clone(),
            (Some(id), number) => format!("{id}:{number}"),
            (None, _) => format!("{}:line {}", self.own.as_deref().unwrap_or_default(), self.line),
        }
    }

    /// Starts a turn, which ends the one before it; the first message of a task takes what was done before it.
    fn start(&mut self, message: Option<Message>, at: Timestamp) {
        if let Some(open) = self.running.as_mut().filter(|open| open.without_message && open.turn.end.is_none())
            && let Some(message) = message
        {
            open.without_message = false;
            open.settle(true);
            open.turn.message_has_images = 0 < message.images;
            open.turn.message = message.text;
            open.turn.before = self.thread.before.clone();
            open.note(Last::Message, at);
            return;
        }
        let without_message = message.is_none();
        self.close(Some(at));
        let name = self.next_name();
        let message = message.unwrap_or(Message { text: String::new(), images: 0 });
        let Some(session) = &self.session else { return };
        let resumed = std::mem::take(&mut self.thread.left)
            .then(|| Step::Resumed(ObservedResumption { id: format!("{}:{name}:resumed", session.id), at }));
        let turn = ObservedTurn {
            session: session.id.clone(),
            name,
            thread: self.agent.clone(),
            started_at: at,
            message: message.text,
            message_has_images: 0 < message.images,
            before: self.thread.before.clone(),
            steps: resumed.into_iter().collect(),
            end: None,
        };
        let mut open = OpenTurn::new(turn, self.copied.is_some(), self.task.says_end);
        open.without_message = without_message;
        self.running = Some(open);
    }

    /// The turn that an answer or a failure belongs to.
    fn turn_for(&mut self, at: Timestamp) -> Option<&mut OpenTurn> {
        if let Some(message) = self.candidate.take() {
            self.start(Some(message), at);
        } else if self.running.is_none() {
            let at = if self.task.says_end && self.task.turns == 0 { self.task.at } else { at };
            self.start(None, at);
        }
        self.running.as_mut()
    }

    /// The answer that an item belongs to: the one that is coming in, or a new one.
    fn answer_for(&mut self, at: Timestamp) -> Option<&mut Response> {
        let open = self.turn_for(at)?;
        if open.response.as_ref().is_none_or(|response| !response.takes_item()) {
            open.settle(true);
            let (model, started_at) = (self.thread.model_name(), self.thread.last_input_at);
            self.thread.answer_begins();
            self.compacted = false;
            self.running.as_mut()?.response = Some(Response::new(model, started_at, at));
        }
        self.running.as_mut()?.response.as_mut()
    }
}

/// As much of a type's name as an issue repeats.
fn named(kind: &str) -> &str {
    &kind[..kind.floor_char_boundary(64)]
}
