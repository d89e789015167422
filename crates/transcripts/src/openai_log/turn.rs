//! Assembles a turn of the log from its requests and responses.

use std::collections::BTreeSet;

use catalogue::estimate::count_characters;
use client_formats::{file_paths::extensions_in_output, usage};
use contracts::{
    CacheVariant, SessionId, Thread,
    events::{StopReason, ToolOutcome, TurnStatus},
};
use event_core::{EventId, Timestamp};
use serde_json::value::RawValue;

use super::line::{Line, Message};
use crate::{
    error_text::classify_error,
    observed::{
        ObservedCall, ObservedFailure, ObservedResult, ObservedSession, ObservedTool, ObservedTurn, Step, ThreadState,
    },
    tool_call::classify_tool_call,
};

/// A request with its response, from one line of the log.
pub(super) struct Exchange<'a> {
    /// The request, or the line if it contains the request's fields.
    pub(super) request: &'a Line<'a>,
    /// Messages of the request.
    pub(super) messages: &'a [Message<'a>],
    /// The response, or the line if it contains the response's fields.
    pub(super) response: &'a Line<'a>,
    /// Error of a failed call, unparsed; `None` if the line has none.
    pub(super) error: Option<&'a RawValue>,
    /// HTTP status code of the response; `None` if not recorded.
    pub(super) status: Option<u16>,
    /// Model as `provider:model`.
    pub(super) model: String,
    /// Source text of the line, which identifies a call without an id.
    pub(super) text: &'a str,
    /// End of the call.
    pub(super) at: Timestamp,
    /// Start of the call, not after `at`; `None` if not recorded.
    pub(super) started_at: Option<Timestamp>,
}

impl Exchange<'_> {
    /// Returns the time at which the call started, or else ended.
    pub(super) fn start_time(&self) -> Timestamp {
        self.started_at.unwrap_or(self.at)
    }

    /// Returns the messages up to the last user message, which started the turn; all messages if none is of the user.
    fn prompt_messages(&self) -> &[Message<'_>] {
        let last = self.messages.iter().rposition(|message| message.role.text() == "user");
        &self.messages[..last.map_or(self.messages.len(), |last| last + 1)]
    }

    /// Returns the name of the turn: the hash of all messages up to the last user message.
    pub(super) fn turn_name(&self, session: &SessionId) -> String {
        let mut parts: Vec<&[u8]> = vec![b"openai log turn", session.as_str().as_bytes()];
        for message in self.prompt_messages() {
            parts.push(message.role.text().as_bytes());
            parts.extend(message.content.texts.iter().map(|text| text.text().as_bytes()));
        }
        EventId::derive(&parts).to_string()
    }

    /// Returns the state of the conversation at the start of the turn: the size of its prompt, and the tools used in
    /// it.
    fn before(&self, workspace: Option<&str>) -> ThreadState {
        let mut state = ThreadState::default();
        for message in self.prompt_messages() {
            state.prompt.characters += message.content.characters();
            state.prompt.messages += 1;
            state.prompt.images += message.content.images;
            if message.role.text() == "tool" {
                let texts = message.content.texts.iter();
                state.extensions.extend(texts.flat_map(|text| extensions_in_output(text.text())));
            }
            for call in message.tool_calls.iter().flatten() {
                let (name, input) = (call.function.name.text(), call.function.arguments.text());
                let class = classify_tool_call(name, input, workspace);
                state.prompt.characters += count_characters(name) + count_characters(input);
                state.tool_calls += 1;
                state.tools.insert(name.to_owned());
                state.side_effects.insert(class.side_effect);
                state.extensions.extend(class.extensions);
                state.directories.extend(class.directories);
            }
        }
        let definitions = self.request.tools.as_deref().unwrap_or_default();
        state.prompt.tools = definitions.len() as u64;
        state.prompt.tool_characters = definitions.iter().map(|tool| count_characters(tool.get())).sum();
        state.images = 0 < state.prompt.images;
        state
    }
}

/// Kind of the last request and response of a turn, which determines the status of the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastExchange {
    /// A response without tool calls.
    Answer,
    /// A response with tool calls, whose results the next request contains.
    Tools,
    /// A failed call, without a response.
    Failure,
    /// Neither a response nor a failure.
    Nothing,
}

/// A turn whose end was not read yet, with the calls and tool results it contains so far.
#[derive(Debug)]
pub(super) struct OpenTurn {
    /// The turn as read so far.
    pub(super) turn: ObservedTurn,
    /// Ids of the calls and failures so far, by which repeated lines are detected.
    seen_exchanges: BTreeSet<EventId>,
    /// Number of tool results so far. Each request repeats all earlier ones.
    results: usize,
    /// Tool calls without a result: the recorded id, which may not be unique, and a unique id.
    unanswered_calls: Vec<(String, String)>,
    /// Kind of the last exchange.
    last_exchange: LastExchange,
    /// Time of the last exchange.
    last_at: Timestamp,
}

impl OpenTurn {
    /// Creates the turn that `exchange` starts, without steps; [`OpenTurn::add`] adds those of the exchange. `name` is
    /// the name of the turn.
    pub(super) fn new(session: &ObservedSession, name: String, exchange: &Exchange<'_>) -> Self {
        let user_message = exchange.prompt_messages().last().filter(|message| message.role.text() == "user");
        let turn = ObservedTurn {
            session: session.id.clone(),
            name,
            thread: Thread::Main,
            started_at: exchange.start_time(),
            message: user_message.map(|message| message.content.joined()).unwrap_or_default(),
            message_has_images: user_message.is_some_and(|message| 0 < message.content.images),
            before: exchange.before(session.workspace.as_deref()),
            steps: Vec::new(),
            end: None,
        };
        let last_at = turn.started_at;
        Self {
            turn,
            seen_exchanges: BTreeSet::new(),
            results: 0,
            unanswered_calls: Vec::new(),
            last_exchange: LastExchange::Nothing,
            last_at,
        }
    }

    /// Adds a request with its response to the turn: new tool results, the model call or its failure, and its tool
    /// calls. Returns false and adds nothing if the turn already contains it.
    pub(super) fn add(&mut self, exchange: &Exchange<'_>, workspace: Option<&str>) -> bool {
        let session = self.turn.session.as_str().to_owned();
        let id = match exchange.response.id.get() {
            Some(id) => EventId::derive(&[b"call", session.as_bytes(), id.as_bytes()]),
            None => EventId::derive(&[b"openai log call", self.turn.name.as_bytes(), exchange.text.as_bytes()]),
        };
        if !self.seen_exchanges.insert(id) {
            return false;
        }
        self.add_results(exchange);
        self.last_at = self.last_at.max(exchange.at);
        let has_failed = exchange.error.is_some() || exchange.status.is_some_and(|status| 400 <= status);
        if has_failed {
            let text = exchange.error.map_or("", RawValue::get);
            self.turn.steps.push(Step::Failed(ObservedFailure {
                id: id.to_string(),
                at: exchange.at,
                model: Some(exchange.model.clone()),
                class: classify_error(exchange.status, text),
                status: exchange.status,
                attempt: None,
            }));
            self.last_exchange = LastExchange::Failure;
            return true;
        }
        let choice = exchange.response.choices.as_deref().and_then(<[_]>::first);
        let tools = choice.and_then(|choice| choice.message.tool_calls.as_deref()).unwrap_or_default();
        let raw_usage = exchange.response.usage.map(RawValue::get);
        if let Some(usage) = raw_usage.and_then(usage::parse_chat) {
            self.turn.steps.push(Step::Call(ObservedCall {
                id,
                message: exchange.response.id.get().map_or_else(|| id.to_string(), str::to_owned),
                request: None,
                at: exchange.at,
                began_at: exchange.start_time(),
                started_at: exchange.started_at,
                model: exchange.model.clone(),
                usage,
                raw_usage: raw_usage.and_then(usage::recordable_usage_text),
                stop_reason: stop_reason(choice.and_then(|choice| choice.finish_reason.get()), !tools.is_empty()),
                tool_calls: u32::try_from(tools.len()).unwrap_or(u32::MAX),
                thinking_blocks: 0,
                variant: CacheVariant::PLAIN,
                complete: true,
            }));
        }
        for (number, tool) in tools.iter().enumerate() {
            let unique_id = format!("{id}:{number}:{}", tool.id.text());
            self.unanswered_calls.push((tool.id.text().to_owned(), unique_id.clone()));
            let (name, input) = (tool.function.name.text(), tool.function.arguments.text());
            self.turn.steps.push(Step::ToolCalled(ObservedTool {
                id: unique_id,
                call: id,
                at: exchange.at,
                name: name.to_owned(),
                class: classify_tool_call(name, input, workspace),
            }));
        }
        self.last_exchange = match (choice, tools.is_empty()) {
            (None, _) => LastExchange::Nothing,
            (_, true) => LastExchange::Answer,
            (_, false) => LastExchange::Tools,
        };
        true
    }

    /// Adds the tool results that are new in this request; clients resend all earlier ones.
    fn add_results(&mut self, exchange: &Exchange<'_>) {
        let answers = &exchange.messages[exchange.prompt_messages().len()..];
        let results: Vec<_> = answers.iter().filter(|message| message.role.text() == "tool").collect();
        for message in results.iter().skip(self.results) {
            let call_id = message.tool_call_id.get().unwrap_or_default();
            let Some(index) = self.unanswered_calls.iter().position(|(name, _)| name == call_id) else { continue };
            let (_, id) = self.unanswered_calls.remove(index);
            let bytes: usize = message.content.texts.iter().map(|text| text.text().len()).sum();
            let extensions = message.content.texts.iter().flat_map(|text| extensions_in_output(text.text()));
            self.turn.steps.push(Step::ToolFinished(ObservedResult {
                id,
                at: exchange.start_time(),
                // The format has no flag for failed tools.
                outcome: ToolOutcome::Succeeded,
                output_bytes: bytes as u64,
                extensions: extensions.collect(),
            }));
        }
        self.results = self.results.max(results.len());
    }

    /// Sets status and time of the turn's end from its last response, and returns the turn. `next_start` is the start of the
    /// next turn. If it is `None` (the file ends) and a response is missing, the turn stays open.
    pub(super) fn finish(mut self, next_start: Option<Timestamp>) -> ObservedTurn {
        self.turn.end = match self.last_exchange {
            LastExchange::Answer => Some((TurnStatus::Completed, self.last_at)),
            LastExchange::Failure => Some((TurnStatus::Failed, self.last_at)),
            LastExchange::Tools | LastExchange::Nothing => {
                next_start.map(|next_start| (TurnStatus::Cancelled, next_start.max(self.last_at)))
            }
        };
        self.turn
    }
}

/// Converts the `finish_reason` of a chat completion to a stop reason; `None` for a missing one.
/// `stop` with tool calls, as some providers report it, is converted to `ToolUse`.
fn stop_reason(finish_reason: Option<&str>, has_tool_calls: bool) -> StopReason {
    match finish_reason {
        Some("tool_calls" | "function_call") => StopReason::ToolUse,
        Some("stop") if has_tool_calls => StopReason::ToolUse,
        Some("stop") => StopReason::EndTurn,
        Some("length") => StopReason::MaxTokens,
        Some("content_filter") => StopReason::Refusal,
        _ if has_tool_calls => StopReason::ToolUse,
        _ => StopReason::Unknown,
    }
}
