//! State of a thread, and its running turn.

use std::collections::BTreeSet;

use catalogue::estimate::{PromptShape, to_recorded_tokens};
use contracts::{Requirement, Tokenizer, events::TurnStatus};
use event_core::{EventId, Timestamp};

pub(super) use crate::session_file::LastLine;

use super::{response::Response, usage::Counts};
use crate::{
    observed::{ObservedCompaction, ObservedTurn, Step, ThreadState},
    tool_call::ToolClass,
};

/// Estimated tokens that Codex sends before the messages of a rollout: instructions and tool definitions. They are not
/// recorded in the file. A captured first request of version 0.169 has 32 kB of them.
pub const PREAMBLE_TOKENS: u64 = 10_000;

/// State of the thread of a session file: its prompt so far, its model and its usage.
#[derive(Debug)]
pub(super) struct Thread {
    /// State of the thread that is recorded if a turn starts now.
    pub(super) before: ThreadState,
    /// Part of the prompt since the start of the current response.
    since_response: PromptShape,
    /// Provider of the model.
    pub(super) provider: String,
    /// The provider's name of the model; `None` until recorded.
    pub(super) model: Option<String>,
    /// Usage of all calls so far, as last reported.
    pub(super) total_counts: Option<Counts>,
    /// Usage of the last call.
    pub(super) last_counts: Option<Counts>,
    /// Time of the last input.
    pub(super) last_input_at: Option<Timestamp>,
    /// Whether the user left the session after a call.
    pub(super) was_left: bool,
}

impl Thread {
    /// Creates the state of a thread without messages.
    pub(super) fn new() -> Self {
        let mut initial_state = ThreadState::default();
        initial_state.prompt.recorded_tokens = to_recorded_tokens(Tokenizer::OpenAi, PREAMBLE_TOKENS);
        Self {
            before: initial_state,
            since_response: PromptShape::default(),
            provider: "openai".to_owned(),
            model: None,
            total_counts: None,
            last_counts: None,
            last_input_at: None,
            was_left: false,
        }
    }

    /// Returns the model as `provider:model`.
    pub(super) fn model_name(&self) -> String {
        format!("{}:{}", self.provider, self.model.as_deref().unwrap_or("unknown"))
    }

    /// Adds a text of `characters` characters and a number of images to the prompt of the next model call.
    pub(super) fn add_text(&mut self, characters: u64, images: u64) {
        for prompt in [&mut self.before.prompt, &mut self.since_response] {
            prompt.characters = prompt.characters.saturating_add(characters);
            prompt.messages += 1;
            prompt.images += images;
        }
        self.before.images |= 0 < images;
    }

    /// Adds the name, side effect and files of a tool call to the thread's history.
    pub(super) fn add_tool(&mut self, name: &str, class: &ToolClass) {
        let state = &mut self.before;
        state.tool_calls += 1;
        state.tools.insert(name.to_owned());
        state.side_effects.insert(class.side_effect);
        state.extensions.extend(class.extensions.iter().cloned());
        state.directories.extend(class.directories.iter().cloned());
    }

    /// Records that a response starts: its items are not part of the input that its usage reports.
    pub(super) fn begin_response(&mut self) {
        self.since_response = PromptShape::default();
    }

    /// Replaces the estimated size of the prompt by the number of input tokens that a response reports, plus the text
    /// since the start of that response.
    pub(super) fn set_recorded_tokens(&mut self, input_tokens: u64) {
        let recorded_tokens = to_recorded_tokens(Tokenizer::OpenAi, input_tokens);
        self.before.prompt = PromptShape { recorded_tokens, messages: 1, ..PromptShape::default() };
        let since = self.since_response;
        self.before.prompt.characters = since.characters;
        self.before.prompt.messages += since.messages;
        self.before.prompt.images = since.images;
    }

    /// Replaces the prompt of the thread by a compacted history of this size.
    pub(super) fn compact(&mut self, characters: u64, messages: u64, images: u64) {
        self.before.prompt = PromptShape {
            recorded_tokens: to_recorded_tokens(Tokenizer::OpenAi, PREAMBLE_TOKENS),
            characters,
            messages,
            images,
            ..PromptShape::default()
        };
        self.before.images = 0 < images;
        self.before.requires.remove(&Requirement::EarlierThinking);
        self.begin_response();
    }
}

/// A turn whose end has not been read, with its current response and the values that will determine its final status.
#[derive(Debug)]
pub(super) struct OpenTurn {
    /// The turn as read so far.
    pub(super) turn: ObservedTurn,
    /// Whether no message has been read yet. Work before the message belongs to the turn as well.
    pub(super) is_without_message: bool,
    /// Whether the turn is a copy from another file, which contains the original.
    pub(super) is_copied: bool,
    /// Whether files of its version record the end of turns.
    pub(super) records_end: bool,
    /// The response whose lines are being read.
    pub(super) response: Option<Response>,
    /// Number of calls so far.
    pub(super) calls: u64,
    /// Ids of the tool calls without a result.
    pub(super) unanswered_calls: BTreeSet<String>,
    /// Kind of the last line.
    pub(super) last_line: LastLine,
    /// Time of the last line.
    pub(super) last_at: Timestamp,
}

impl OpenTurn {
    /// Creates a turn whose start was read. `is_copied` is whether another file contains the original, `records_end`
    /// whether files of this version record the end of turns.
    pub(super) fn new(turn: ObservedTurn, is_copied: bool, records_end: bool) -> Self {
        let last_at = turn.started_at;
        Self {
            turn,
            is_without_message: false,
            is_copied,
            records_end,
            response: None,
            calls: 0,
            unanswered_calls: BTreeSet::new(),
            last_line: LastLine::Message,
            last_at,
        }
    }

    /// Records kind and time of the last line.
    pub(super) fn record_last_line(&mut self, last: LastLine, at: Timestamp) {
        self.last_line = last;
        self.last_at = self.last_at.max(at);
    }

    /// Adds a step: to the current response if there is one, otherwise to the turn.
    pub(super) fn push(&mut self, step: Step) {
        match &mut self.response {
            Some(response) => response.steps.push(step),
            None => self.turn.steps.push(step),
        }
    }

    /// Completes the current response and adds its steps to the turn. `is_complete` is whether no line of the response is
    /// missing.
    pub(super) fn finish_response(&mut self, is_complete: bool) {
        if let Some(response) = self.response.take() {
            self.calls += u64::from(response.counts.is_some());
            let (session, name) = (self.turn.session.as_str().as_bytes(), self.turn.name.as_bytes());
            let derived_id = EventId::derive(&[b"codex call", session, name, &self.calls.to_le_bytes()]);
            self.turn.steps.extend(response.into_steps(derived_id, is_complete));
        }
    }

    /// Ends the turn with this status and time, unless it has already ended.
    pub(super) fn end(&mut self, status: TurnStatus, at: Timestamp) {
        self.finish_response(true);
        self.turn.end = self.turn.end.or(Some((status, at)));
    }

    /// Sets status and time of the turn's end, unless they are set. They depend on the last line of the turn and on the
    /// time `next_start` of the next turn (`None` at the end of the file).
    pub(super) fn finish(&mut self, next_start: Option<Timestamp>) {
        if self.turn.end.is_none() {
            self.turn.end = match self.last_line {
                _ if self.records_end && next_start.is_none() => None,
                LastLine::Answer { text: true } if self.unanswered_calls.is_empty() => {
                    Some((TurnStatus::Completed, self.last_at))
                }
                LastLine::Failure => Some((TurnStatus::Failed, self.last_at)),
                _ => next_start.map(|next_start| (TurnStatus::Cancelled, next_start.max(self.last_at))),
            };
        }
        let is_complete =
            self.turn.end.is_some() || self.response.as_ref().is_some_and(|response| response.has_following_input);
        self.finish_response(is_complete);
    }

    /// Returns the compactions of the turn.
    pub(super) fn compactions(&mut self) -> impl Iterator<Item = &mut ObservedCompaction> {
        self.turn.steps.iter_mut().filter_map(|step| match step {
            Step::Compacted(compaction) => Some(compaction),
            _ => None,
        })
    }
}
