//! Folds the lines of a rollout, the session file of Codex, into turns: the reader state after each line determines to
//! which turn the next line belongs.
//!
//! A *task* is a turn in Codex's sense, which may contain several user messages and therefore several turns here. A
//! *copy* is the history at the start of a fork, repeated from another session's file.

mod event_line;
mod head_line;
mod item_line;

use std::collections::VecDeque;

use contracts::{SessionId, ThreadId};
use event_core::Timestamp;

use super::{
    line::{Line, Payload},
    response::Response,
    thread::{LastLine, OpenTurn, Thread},
};
use crate::{
    observed::{ObservedResumption, ObservedSession, ObservedTurn, Step},
    session_file::{Skipped, parse_rfc3339},
};

/// State of the session file reader between two lines. [`Fold::push`] reads a line, and `ready` contains the turns that
/// are finished.
#[derive(Debug)]
pub(super) struct Fold {
    /// Session id for files without one, derived from the file name.
    fallback: Option<SessionId>,
    /// The session, from the head or the file name; `None` before the first line.
    pub(super) session: Option<ObservedSession>,
    /// Counts of lines dropped by design.
    pub(super) skipped: Skipped,
    /// Finished turns that the reader has not returned yet, in order.
    pub(super) ready: VecDeque<ObservedTurn>,
    /// Id in the file's head: of its session, or of the sub-agent that wrote it; `None` before the head.
    own_id: Option<String>,
    /// Thread of all turns, if the file belongs to a sub-agent.
    agent: Option<ThreadId>,
    /// Set while the lines are a copy of another session's; `None` for the file's own lines.
    copied: Option<head_line::CopiedHistory>,
    /// State of the thread that the file contains.
    thread: Thread,
    /// The current task: a turn in the client's sense.
    task: Task,
    /// The turn that later lines may continue; `None` between turns.
    running: Option<OpenTurn>,
    /// Message with the role `user` for which the line that marks it as typed has not been read. If none follows, the
    /// file does not mark typed messages, and the message starts a turn.
    candidate: Option<Message>,
    /// Whether the file marks typed messages.
    has_message_marks: bool,
    /// Number of user messages in the history for which the line that marks them as typed has not followed yet.
    unmarked_messages: u32,
    /// Whether the last compaction came from a `compacted` line. A `context_compacted` event may follow and repeat it.
    is_compaction_recorded: bool,
    /// Layout of the file; `None` before the first line of a known shape.
    layout: Option<Layout>,
    /// Number of the current line, from 1.
    line: u64,
    /// Latest time of any line so far.
    last_at: Option<Timestamp>,
}

/// Where the lines of a session file have their fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// In `payload`: since September 2025.
    Payload,
    /// In the line itself: before.
    Bare,
}

/// A turn in the client's sense: from a message to the end of all work on it. May contain several turns of turnwise.
#[derive(Debug, Default)]
struct Task {
    /// The client's id of the turn; `None` in files without ids.
    id: Option<String>,
    /// Time at which the task started.
    at: Timestamp,
    /// Whether the file records the start of the task, and therefore its end.
    records_end: bool,
    /// Number of turns in the task so far.
    turns: u32,
}

/// A user message that starts a turn: its text and its number of images.
#[derive(Debug)]
struct Message {
    /// Text of the message.
    text: String,
    /// Number of images in the message.
    images: u64,
}

/// Time and content of the line of the session file that is being read.
struct LineContext<'a> {
    /// Time of the line.
    at: Timestamp,
    /// Fields of the line.
    payload: &'a Payload<'a>,
}

impl Fold {
    /// Creates the reader state before the first line of a session file. `fallback` is the session id of files without
    /// one.
    pub(super) fn new(fallback: Option<SessionId>) -> Self {
        Self {
            fallback,
            session: None,
            skipped: Skipped::default(),
            ready: VecDeque::new(),
            own_id: None,
            agent: None,
            copied: None,
            thread: Thread::new(),
            task: Task::default(),
            running: None,
            candidate: None,
            has_message_marks: false,
            unmarked_messages: 0,
            is_compaction_recorded: false,
            layout: None,
            line: 0,
            last_at: None,
        }
    }

    /// Reads the line `number`, from 1, of a session file. The line has a payload.
    ///
    /// # Errors
    /// A description of the problem if the line has no time, or neither the file nor its name has a session id.
    pub(super) fn push(&mut self, number: u64, line: &Line<'_>, payload: &Payload<'_>) -> Result<(), String> {
        (self.line, self.layout) = (number, Some(Layout::Payload));
        let kind = line.kind.text();
        let at = line.timestamp.get().and_then(parse_rfc3339);
        let at = at.ok_or_else(|| format!("a line of type `{}` has no `timestamp` that is a time", truncated(kind)))?;
        self.fold_line(kind, &LineContext { at, payload })
    }

    /// Reads the line `number`, from 1, of a session file with the old layout: the line itself has the fields of the
    /// payload, and mostly no time. The time of the latest line before it is then used.
    ///
    /// # Errors
    /// A description of the problem if a line before this one has a payload, if no line up to this one has a time, if
    /// the line's type exists in the new layout only, or if neither the file nor its name has a session id.
    pub(super) fn push_old_layout(
        &mut self,
        number: u64,
        line: &Line<'_>,
        payload: &Payload<'_>,
    ) -> Result<(), String> {
        self.line = number;
        let kind = line.kind.text();
        if self.layout == Some(Layout::Payload) || matches!(kind, "event_msg" | "response_item") {
            return Err(match kind {
                "" => "the line has neither `type` nor `payload`".to_owned(),
                _ => format!("a line of type `{}` has no `payload`", truncated(kind)),
            });
        }
        self.layout = Some(Layout::Bare);
        if kind.is_empty() && line.record_type.get().is_some() {
            return Ok(());
        }
        let at = line.timestamp.get().and_then(parse_rfc3339).or(self.last_at);
        let at = at.ok_or("nothing before this line has a `timestamp` that is a time")?;
        let context = LineContext { at, payload };
        match kind {
            "" if payload.id.get().is_some() => self.fold_line("session_meta", &context),
            "session_meta" | "turn_context" | "compacted" | "token_usage_record" => self.fold_line(kind, &context),
            _ => self.fold_line("response_item", &context),
        }
    }

    /// Reads one line of either layout by its type `kind`. Lines of unknown types are counted as skipped.
    ///
    /// # Errors
    /// A description of the problem if neither the file nor its name has a session id.
    fn fold_line(&mut self, kind: &str, context: &LineContext<'_>) -> Result<(), String> {
        self.last_at = Some(self.last_at.map_or(context.at, |last| last.max(context.at)));
        if kind == "session_meta" {
            return self.fold_head(context);
        }
        self.ensure_session(context.at).ok_or("the line names no session")?;
        self.end_copy_if_own(kind, context);
        match kind {
            "turn_context" => self.fold_turn_context(context),
            "response_item" => self.fold_item(context),
            "event_msg" => self.fold_event(context),
            "token_usage_record" => self.add_usage_record(context),
            "compacted" => self.add_compaction(context),
            "world_state" | "inter_agent_communication" | "inter_agent_communication_metadata" => {}
            _ => self.skipped.count_unknown(kind),
        }
        Ok(())
    }

    /// Finishes the open turn at the end of the file.
    pub(super) fn finish(&mut self) {
        self.end_running_turn(None);
    }

    /// Ends the running turn and adds it to the finished turns. `next` is the time at which another turn starts; `None`
    /// at the end of the file. The turn is dropped instead if it is a copy, or if it has no message at the end of the
    /// file, where the message may still follow.
    fn end_running_turn(&mut self, next: Option<Timestamp>) {
        let Some(mut open) = self.running.take() else { return };
        open.finish(next);
        // The message that this work belongs to may follow in a later import.
        let too_early = open.is_without_message && open.records_end && open.turn.end.is_none();
        if open.is_without_message {
            open.compactions().for_each(|compaction| compaction.trigger = contracts::events::CompactionTrigger::Manual);
        }
        if !open.is_copied && !too_early {
            self.ready.push_back(open.turn);
        }
    }

    /// Starts the task with the client's id `id`, and ends the running turn. Does nothing if that task is already
    /// running. `records_end` is whether the file records the end of the task.
    fn begin_task(&mut self, id: Option<&str>, at: Timestamp, records_end: bool) {
        if id.is_some() && id == self.task.id.as_deref() {
            self.task.records_end |= records_end;
            return;
        }
        self.end_running_turn(Some(at));
        self.candidate = None;
        self.unmarked_messages = 0;
        self.thread.last_input_at = Some(at);
        self.task = Task { id: id.map(str::to_owned), at, records_end, turns: 0 };
    }

    /// Counts another turn of the current task and returns its name: the client's id of the task, with a number from
    /// the second turn on. Without an id the name is the line number.
    fn next_turn_name(&mut self) -> String {
        self.task.turns += 1;
        match (&self.task.id, self.task.turns) {
            (Some(id), 1) => id.clone(),
            (Some(id), number) => format!("{id}:{number}"),
            (None, _) => format!("{}:line {}", self.own_id.as_deref().unwrap_or_default(), self.line),
        }
    }

    /// Starts a turn at the time `at` and ends the previous one; `message` is `None` for work without a message. If the
    /// running turn has no message yet, `message` is added to it instead, since the work before the first message of a
    /// task belongs to its turn.
    fn start(&mut self, message: Option<Message>, at: Timestamp) {
        if let Some(open_turn) =
            self.running.as_mut().filter(|open_turn| open_turn.is_without_message && open_turn.turn.end.is_none())
            && let Some(message) = message
        {
            open_turn.is_without_message = false;
            open_turn.finish_response(true);
            open_turn.turn.message_has_images = 0 < message.images;
            open_turn.turn.message = message.text;
            open_turn.turn.before = self.thread.before.clone();
            open_turn.record_last_line(LastLine::Message, at);
            return;
        }
        let is_without_message = message.is_none();
        self.end_running_turn(Some(at));
        let name = self.next_turn_name();
        let message = message.unwrap_or(Message { text: String::new(), images: 0 });
        let Some(session) = &self.session else { return };
        let resumption = std::mem::take(&mut self.thread.was_left)
            .then(|| Step::Resumed(ObservedResumption { id: format!("{}:{name}:resumed", session.id), at }));
        let turn = ObservedTurn {
            session: session.id.clone(),
            name,
            thread: self.agent.clone().into(),
            started_at: at,
            message: message.text,
            message_has_images: 0 < message.images,
            before: self.thread.before.clone(),
            steps: resumption.into_iter().collect(),
            end: None,
        };
        let mut open_turn = OpenTurn::new(turn, self.copied.is_some(), self.task.records_end);
        open_turn.is_without_message = is_without_message;
        self.running = Some(open_turn);
    }

    /// Returns the turn that a response or a failure at the time `at` belongs to. If a user message waits for the line
    /// that marks it as typed, it starts that turn. Otherwise it is the running turn or, without one, a new turn
    /// without a message. `None` without a session.
    fn turn_for(&mut self, at: Timestamp) -> Option<&mut OpenTurn> {
        if let Some(message) = self.candidate.take() {
            self.start(Some(message), at);
        } else if self.running.is_none() {
            let at = if self.task.records_end && self.task.turns == 0 { self.task.at } else { at };
            self.start(None, at);
        }
        self.running.as_mut()
    }

    /// Returns the response that a conversation item at the time `at` belongs to: the current one, or a new one if that
    /// is complete. `None` without a session.
    fn response_for(&mut self, at: Timestamp) -> Option<&mut Response> {
        let open_turn = self.turn_for(at)?;
        if open_turn.response.as_ref().is_none_or(|response| !response.accepts_item()) {
            open_turn.finish_response(true);
            let (model, started_at) = (self.thread.model_name(), self.thread.last_input_at);
            self.thread.begin_response();
            self.is_compaction_recorded = false;
            self.running.as_mut()?.response = Some(Response::new(model, started_at, at));
        }
        self.running.as_mut()?.response.as_mut()
    }
}

/// Returns the first 64 bytes of a type's name, for error messages.
fn truncated(kind: &str) -> &str {
    &kind[..kind.floor_char_boundary(64)]
}
