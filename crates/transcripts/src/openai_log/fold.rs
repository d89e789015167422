//! Folds the lines of a log of chat completions into turns, one running turn for each conversation.

use std::collections::{BTreeMap, VecDeque};

use contracts::{SessionId, events::SessionSource};
use event_core::{EventId, Timestamp};
use serde_json::value::RawValue;

use super::{
    line::{Line, Message},
    turn::{Exchange, OpenTurn},
};
use crate::{
    observed::{ObservedSession, ObservedTurn},
    session_file::{Skipped, Text, describe_json_error, parse_json_time},
};

/// Maximum number of conversations with a running turn, to limit memory; the least recently used turn is ended.
const MAX_OPEN_CONVERSATIONS: usize = 1_024;

/// State of the log reader between two lines. [`Fold::push`] reads a line, and [`Fold::next_turn`] returns finished
/// turns.
#[derive(Debug, Default)]
pub(super) struct Fold {
    /// Session of the last returned turn; `None` before the first.
    pub(super) session: Option<ObservedSession>,
    /// Counts of lines dropped by design.
    pub(super) skipped: Skipped,
    /// Finished turns that the reader has not returned yet, in order.
    ready: VecDeque<(ObservedSession, ObservedTurn)>,
    /// Running turns, one for each conversation.
    open: BTreeMap<Conversation, Running>,
    /// Number of lines folded so far.
    lines: u64,
}

/// Identifies a conversation: its session, and the hash of its first messages. Sub-agents and title requests have the
/// same session id as the main conversation.
type Conversation = (SessionId, EventId);

/// A conversation in the log with its running turn, which later lines may continue.
#[derive(Debug)]
struct Running {
    /// Session of the conversation.
    session: ObservedSession,
    /// The turn, with the calls and tool results so far.
    turn: OpenTurn,
    /// Number of the last line that belongs to the turn, from 1.
    last_line: u64,
}

/// Returns the time of a line of the log: the time at which its call ended, or else started. `None` if the line has
/// neither, or they are not valid times.
pub(super) fn time_of(line: &Line<'_>) -> Option<Timestamp> {
    let ended = [line.ended_at, line.end_time, line.response_time, line.timestamp, line.time, line.created_at];
    ended.into_iter().flatten().find_map(parse_json_time).or_else(|| start_time(line))
}

/// Returns the time at which a call started; `None` if the line does not contain it.
fn start_time(line: &Line<'_>) -> Option<Timestamp> {
    [line.started_at, line.start_time, line.request_time].into_iter().flatten().find_map(parse_json_time)
}

impl Fold {
    /// Reads one line of the log, whose source is `text`: adds its request and response to a turn. Streamed responses
    /// and requests to other interfaces are counted as skipped.
    ///
    /// # Errors
    /// A description of the first field that is missing (`messages`, any time) or has an unexpected layout.
    pub(super) fn push(&mut self, text: &str, line: &Line<'_>) -> Result<(), String> {
        self.lines += 1;
        if line.response.is_some_and(|response| response.get().starts_with('[')) {
            self.skipped.count_unknown("response in chunks");
            return Ok(());
        }
        let (request, response) = (parse_object("request", line.request)?, parse_object("response", line.response)?);
        let metadata = parse_object("metadata", line.metadata)?.unwrap_or_default();
        // Metadata of the request are meant for the provider; those of another layout are ignored.
        let request_metadata = request.as_ref().and_then(|request| parse_object("metadata", request.metadata).ok()?);
        let request_metadata = request_metadata.unwrap_or_default();
        let status = response.as_ref().and_then(|response| response.status_code).or(line.status_code);
        let (request, response) = (unwrap_body(request)?, unwrap_body(response)?);
        let request = request.as_ref().unwrap_or(line);
        let response = response.as_ref().unwrap_or(line);
        let Some(messages) = &request.messages else {
            if request.input.is_some() {
                self.skipped.count_unknown("request to another interface");
                return Ok(());
            }
            return Err("the line has no `messages`".to_owned());
        };
        let created = response.created.and_then(parse_json_time);
        let at = time_of(line).or(created).ok_or("the line has no time")?;
        let started_at = start_time(line).or(created).filter(|started| *started <= at);
        let sources = [line, &metadata, request, &request_metadata];
        let find = |get: &dyn Fn(&Line<'_>) -> Option<String>| sources.iter().find_map(|source| get(source));
        let user = find(&|source| source.user.get().map(str::to_owned));
        let id = find(&|source| {
            first_nonempty(&[&source.session, &source.session_id, &source.conversation_id, &source.thread_id])
        });
        let id = session_id(id.as_deref(), user.as_deref(), messages);
        let session = ObservedSession {
            id: id.ok_or("the session has no id")?,
            source: SessionSource::OpenAiLog,
            workspace: find(&|source| first_nonempty(&[&source.workspace, &source.cwd])),
            client: None,
            started_at: started_at.unwrap_or(at),
            parent: None,
        };
        let provider = find(&|source| source.provider.get().map(str::to_owned));
        let model = response.model.get().or(request.model.get()).unwrap_or("unknown");
        let model = match (provider, model.split_once('/')) {
            (Some(provider), _) => format!("{provider}:{model}"),
            (None, Some((provider, model))) => format!("{provider}:{model}"),
            (None, None) => format!("openai:{model}"),
        };
        let error = response.error.or(line.error).filter(|error| error.get() != "null");
        let exchange = Exchange { request, messages, response, error, status, model, text, at, started_at };
        self.add(session, &exchange);
        Ok(())
    }

    /// Adds a request with its response to the running turn of its conversation, or ends that turn and starts another
    /// one. If too many turns are running, ends the least recently used one.
    fn add(&mut self, session: ObservedSession, exchange: &Exchange<'_>) {
        let name = exchange.turn_name(&session.id);
        let id = (session.id.clone(), EventId::derive(&first_messages(exchange.messages)));
        if self.open.get(&id).is_some_and(|running| running.turn.turn.name != name) {
            self.close(&id, Some(exchange.start_time()));
        } else if !self.open.contains_key(&id) && MAX_OPEN_CONVERSATIONS <= self.open.len() {
            let least_recent = self.open.iter().min_by_key(|(_, running)| running.last_line).map(|(id, _)| id.clone());
            if let Some(least_recent) = least_recent {
                self.close(&least_recent, None);
            }
        }
        let running_turn = self.open.entry(id).or_insert_with(|| {
            let turn = OpenTurn::new(&session, name, exchange);
            Running { session, turn, last_line: 0 }
        });
        running_turn.last_line = self.lines;
        let workspace = running_turn.session.workspace.as_deref();
        self.skipped.repeated += u64::from(!running_turn.turn.add(exchange, workspace));
    }

    /// Ends the running turn of a conversation. `next` is the start of its next turn; `None` if none follows.
    fn close(&mut self, id: &Conversation, next: Option<Timestamp>) {
        if let Some(running) = self.open.remove(id) {
            self.ready.push_back((running.session, running.turn.finish(next)));
        }
    }

    /// Ends all running turns at the end of the file, in the order of their start.
    pub(super) fn finish(&mut self) {
        let mut remaining: Vec<Running> = std::mem::take(&mut self.open).into_values().collect();
        remaining.sort_by_key(|running| running.turn.turn.started_at);
        self.ready.extend(remaining.into_iter().map(|running| (running.session, running.turn.finish(None))));
    }

    /// Returns the next finished turn and sets the field `session` to the session of that turn.
    pub(super) fn next_turn(&mut self) -> Option<ObservedTurn> {
        let (session, turn) = self.ready.pop_front()?;
        self.session = Some(session);
        Some(turn)
    }
}

/// Parses a nested JSON object that has the fields of a line; `None` if `raw` is missing or `null`.
///
/// # Errors
/// A description of the unexpected layout, with `name` as the name of the object.
fn parse_object<'a>(name: &str, raw: Option<&'a RawValue>) -> Result<Option<Line<'a>>, String> {
    let Some(raw) = raw.filter(|raw| raw.get() != "null") else { return Ok(None) };
    serde_json::from_str(raw.get())
        .map(Some)
        .map_err(|error| format!("`{name}` has an unexpected shape: {}", describe_json_error(&error)))
}

/// Returns the `body` of a logged request or response, or `outer` itself if it has none.
///
/// # Errors
/// A description of the unexpected layout of `body`.
fn unwrap_body(outer: Option<Line<'_>>) -> Result<Option<Line<'_>>, String> {
    match outer.as_ref().and_then(|outer| outer.body) {
        Some(inner) => parse_object("body", Some(inner)),
        None => Ok(outer),
    }
}

/// Returns the first text that is not empty; `None` if all are missing or empty.
fn first_nonempty(texts: &[&Text<'_>]) -> Option<String> {
    texts.iter().find_map(|text| text.get()).map(str::to_owned)
}

/// Returns the session id of a logged request: `recorded_id`, or its hash if it is not a valid id. If `recorded_id` is `None`, the
/// id is the hash of `user` and of the messages up to the first user message.
fn session_id(recorded_id: Option<&str>, user: Option<&str>, messages: &[Message<'_>]) -> Option<SessionId> {
    if let Some(recorded_id) = recorded_id {
        let hash = EventId::derive(&[recorded_id.as_bytes()]).to_string();
        return SessionId::try_from(recorded_id).or_else(|_| SessionId::try_from(hash.as_str())).ok();
    }
    let mut parts: Vec<&[u8]> = vec![b"openai log session", user.unwrap_or_default().as_bytes()];
    parts.extend(first_messages(messages));
    SessionId::try_from(EventId::derive(&parts).to_string().as_str()).ok()
}

/// Returns the roles and texts of the messages up to the first user message, which all later requests of a conversation
/// repeat.
fn first_messages<'a>(messages: &'a [Message<'_>]) -> Vec<&'a [u8]> {
    let end = messages.iter().position(|message| message.role.text() == "user").map_or(messages.len(), |at| at + 1);
    let mut parts: Vec<&[u8]> = Vec::new();
    for message in &messages[..end] {
        parts.push(message.role.text().as_bytes());
        parts.extend(message.content.texts.iter().map(|text| text.text().as_bytes()));
    }
    parts
}
