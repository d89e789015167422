//! What a thread has seen so far, and the turn that is running in it.

use std::collections::BTreeSet;

use catalogue::estimate::{PromptShape, as_recorded};
use contracts::{Tokenizer, events::TurnStatus};
use event_core::{EventId, Timestamp};

pub(super) use crate::session_file::Last;

use super::{response::Response, usage::Counts};
use crate::{
    observed::{Before, ObservedCompaction, ObservedTurn, Step},
    session_file::Places,
};

/// Tokens of what Codex sends before the messages of a rollout: its instructions and the definitions of its tools.
/// They are not in the file. A captured first request of version 0.169 has 32 kB of them.
pub const PREAMBLE_TOKENS: u64 = 10_000;

/// What the thread has seen.
#[derive(Debug)]
pub(super) struct Thread {
    /// What a turn that starts now has before it.
    pub(super) before: Before,
    /// What of it came since the running answer began.
    since_answer: PromptShape,
    /// Whose model answers, by its provider.
    pub(super) provider: String,
    pub(super) model: Option<String>,
    /// The account of all calls so far.
    pub(super) total: Option<Counts>,
    /// The account of the last call.
    pub(super) last: Option<Counts>,
    /// The time of the last thing that a call can answer.
    pub(super) last_input_at: Option<Timestamp>,
    /// The user has left the session after a call.
    pub(super) left: bool,
}

impl Thread {
    pub(super) fn new() -> Self {
        let mut before = Before::default();
        before.prompt.recorded_tokens = as_recorded(Tokenizer::OpenAi, PREAMBLE_TOKENS);
        Self {
            before,
            since_answer: PromptShape::default(),
            provider: "openai".to_owned(),
            model: None,
            total: None,
            last: None,
            last_input_at: None,
            left: false,
        }
    }

    /// The model by its full name.
    pub(super) fn model_name(&self) -> String {
        format!("{}:{}", self.provider, self.model.as_deref().unwrap_or("unknown"))
    }

    /// Adds a text or an image to the prompt of the next call.
    pub(super) fn add_text(&mut self, characters: u64, images: u64) {
        for prompt in [&mut self.before.prompt, &mut self.since_answer] {
            prompt.characters = prompt.characters.saturating_add(characters);
            prompt.messages += 1;
            prompt.images += images;
        }
        self.before.images |= 0 < images;
    }

    /// A tool was asked for.
    pub(super) fn add_tool(&mut self, name: &str, side_effect: contracts::SideEffect, places: &Places) {
        let before = &mut self.before;
        before.tool_calls += 1;
        before.tools.insert(name.to_owned());
        before.side_effects.insert(side_effect);
        before.extensions.extend(places.extensions.iter().cloned());
        before.directories.extend(places.directories.iter().cloned());
    }

    /// An answer begins: what follows is not in the input that its account will show.
    pub(super) fn answer_begins(&mut self) {
        self.since_answer = PromptShape::default();
    }

    /// A call was answered: its input is what the prompt had become when the answer began.
    pub(super) fn restart_at(&mut self, input_tokens: u64) {
        let recorded_tokens = as_recorded(Tokenizer::OpenAi, input_tokens);
        self.before.prompt = PromptShape { recorded_tokens, messages: 1, ..PromptShape::default() };
        let since = self.since_answer;
        self.before.prompt.characters = since.characters;
        self.before.prompt.messages += since.messages;
        self.before.prompt.images = since.images;
    }

    /// The history was replaced by a summary.
    pub(super) fn compact(&mut self, characters: u64, messages: u64, images: u64) {
        self.before.prompt = PromptShape {
            recorded_tokens: as_recorded(Tokenizer::OpenAi, PREAMBLE_TOKENS),
            characters,
            messages,
            images,
            ..PromptShape::default()
        };
        self.before.images = 0 < images;
        self.answer_begins();
    }
}

/// A turn that may go on.
#[derive(Debug)]
pub(super) struct OpenTurn {
    pub(super) turn: ObservedTurn,
    /// No message has come yet: what was done before it belongs to the turn all the same.
    pub(super) without_message: bool,
    /// Copied from another file, where it is read.
    pub(super) copied: bool,
    /// The file says when turns of its version end.
    pub(super) says_end: bool,
    /// The answer that is coming in, and what came after it.
    pub(super) response: Option<Response>,
    /// Calls so far.
    pub(super) calls: u64,
    /// Tools without a result.
    pub(super) waiting: BTreeSet<String>,
    pub(super) last: Last,
    pub(super) last_at: Timestamp,
}

impl OpenTurn {
    pub(super) fn new(turn: ObservedTurn, copied: bool, says_end: bool) -> Self {
        let last_at = turn.started_at;
        Self {
            turn,
            without_message: false,
            copied,
            says_end,
            response: None,
            calls: 0,
            waiting: BTreeSet::new(),
            last: Last::Message,
            last_at,
        }
    }

    /// Something came.
    pub(super) fn note(&mut self, last: Last, at: Timestamp) {
        self.last = last;
        self.last_at = self.last_at.max(at);
    }

    /// Adds a step: after the call that is coming in, if there is one.
    pub(super) fn push(&mut self, step: Step) {
        match &mut self.response {
            Some(response) => response.steps.push(step),
            None => self.turn.steps.push(step),
        }
    }

    /// The answer is all there: the call, the tools it asked for, and what came of them.
    pub(super) fn settle(&mut self, complete: bool) {
        if let Some(response) = self.response.take() {
            self.calls += u64::from(response.counts.is_some());
            let (session, name) = (self.turn.session.as_str().as_bytes(), self.turn.name.as_bytes());
            let unnamed = EventId::derive(&[b"codex call", session, name, &self.calls.to_le_bytes()]);
            self.turn.steps.extend(response.settle(unnamed, complete));
        }
    }

    /// Ends the turn, unless it has ended.
    pub(super) fn end(&mut self, status: TurnStatus, at: Timestamp) {
        self.settle(true);
        self.turn.end = self.turn.end.or(Some((status, at)));
    }

    /// How the turn ends when the next one comes at `next`, or when the file ends.
    pub(super) fn finish(&mut self, next: Option<Timestamp>) {
        if self.turn.end.is_none() {
            self.turn.end = match self.last {
                _ if self.says_end && next.is_none() => None,
                Last::Answer { text: true } if self.waiting.is_empty() => Some((TurnStatus::Completed, self.last_at)),
                Last::Failure => Some((TurnStatus::Failed, self.last_at)),
                _ => next.map(|next| (TurnStatus::Cancelled, next.max(self.last_at))),
            };
        }
        let complete = self.turn.end.is_some() || self.response.as_ref().is_some_and(|response| response.followed);
        self.settle(complete);
    }

    /// A turn without a message was of the user's own asking, and so was its compaction.
    pub(super) fn compactions(&mut self) -> impl Iterator<Item = &mut ObservedCompaction> {
        self.turn.steps.iter_mut().filter_map(|step| match step {
            Step::Compacted(compaction) => Some(compaction),
            _ => None,
        })
    }
}
