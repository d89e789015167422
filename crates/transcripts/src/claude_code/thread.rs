//! One thread of a session: what it has seen so far, and the turn that is running.

use std::collections::BTreeSet;

use catalogue::estimate::{PromptShape, tokens};
use contracts::{
    CacheVariant, SessionId, ThreadId, Tokenizer,
    events::{ErrorClass, StopReason, TurnStatus},
};
use event_core::{EventId, Timestamp};

pub(super) use crate::session_file::Last;

use crate::observed::{Before, ObservedCall, ObservedCompaction, ObservedTurn, Step};

/// Tokens of what Claude Code sends before the first message: system prompt, tool definitions, project notes. They
/// are not in the file. The median of the first calls of 33 recorded sessions is 40,500 (25,900 to 68,200), less the
/// message. Sub-agents send less, by how much is not recorded.
pub const PREAMBLE_TOKENS: u64 = 40_000;

/// A thread: the main line of the session, or a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ThreadKey(pub(super) Option<ThreadId>);

impl ThreadKey {
    pub(super) const MAIN: Self = Self(None);

    pub(super) const fn is_main(&self) -> bool {
        self.0.is_none()
    }
}

/// A thread of a session.
#[derive(Debug)]
pub(super) struct Thread {
    /// What a turn that starts now has before it.
    pub(super) before: Before,
    /// What goes before the first message: [`PREAMBLE_TOKENS`], or, after a call, what its account showed it to be.
    preamble: u64,
    /// The model of the last call.
    pub(super) model: Option<String>,
    /// What the calls of now continue: a message of the user's own, or the text of a command or a skill.
    pub(super) variant: CacheVariant,
    /// The user has left the session after a call.
    pub(super) left: bool,
    /// The running turn: its place in the batch.
    pub(super) turn: Option<usize>,
    /// A command that no model has taken up yet.
    pub(super) candidate: Option<OpenTurn>,
    /// Compactions from before the first turn.
    pub(super) early: Vec<ObservedCompaction>,
    /// The time of the last line.
    pub(super) last_at: Option<Timestamp>,
}

impl Thread {
    pub(super) fn new() -> Self {
        let mut before = Before::default();
        before.prompt.recorded_tokens = PREAMBLE_TOKENS;
        Self {
            before,
            preamble: PREAMBLE_TOKENS,
            model: None,
            variant: CacheVariant::PLAIN,
            left: false,
            turn: None,
            candidate: None,
            early: Vec::new(),
            last_at: None,
        }
    }

    /// The user leaves the session. Before any call there is nothing to leave.
    pub(super) fn leave(&mut self) {
        self.left |= self.model.is_some();
    }

    /// Adds a text or an image to the prompt of the next call.
    pub(super) fn add_text(&mut self, characters: u64, images: u64) {
        let prompt = &mut self.before.prompt;
        prompt.characters += characters;
        prompt.messages += 1;
        prompt.images += images;
        self.before.images |= 0 < images;
    }

    /// A call was answered: its input is what the prompt had become.
    pub(super) fn restart_at(&mut self, input_tokens: u64) {
        if self.model.is_none() {
            let said = PromptShape { recorded_tokens: 0, ..self.before.prompt };
            self.preamble = input_tokens.saturating_sub(tokens(Tokenizer::Anthropic, &said));
        }
        self.before.prompt = PromptShape { recorded_tokens: input_tokens, messages: 1, ..PromptShape::default() };
    }

    /// The history was replaced by a summary.
    pub(super) fn compact(&mut self, characters: u64) {
        self.before.prompt =
            PromptShape { recorded_tokens: self.preamble, characters, messages: 1, ..PromptShape::default() };
        self.before.images = false;
    }
}

/// A turn that may go on.
#[derive(Debug)]
pub(super) struct OpenTurn {
    pub(super) turn: ObservedTurn,
    pub(super) key: ThreadKey,
    /// Its calls and where they stand among the steps.
    pub(super) calls: Vec<(EventId, usize)>,
    /// Tools without a result.
    pub(super) waiting: BTreeSet<String>,
    pub(super) last: Last,
    pub(super) last_at: Timestamp,
}

impl OpenTurn {
    pub(super) fn new(
        session: SessionId,
        key: ThreadKey,
        name: String,
        at: Timestamp,
        message: String,
        images: bool,
        before: Before,
    ) -> Self {
        let turn = ObservedTurn {
            session,
            name,
            thread: key.0.clone(),
            started_at: at,
            message,
            message_has_images: images,
            before,
            steps: Vec::new(),
            end: None,
        };
        Self { turn, key, calls: Vec::new(), waiting: BTreeSet::new(), last: Last::Message, last_at: at }
    }

    /// Something came.
    pub(super) fn note(&mut self, last: Last, at: Timestamp) {
        self.last = last;
        self.last_at = at;
    }

    /// The step of a call, when the call belongs to this turn.
    pub(super) fn call(&mut self, id: EventId) -> Option<&mut ObservedCall> {
        let (_, index) = self.calls.iter().rev().find(|(call, _)| *call == id)?;
        match self.turn.steps.get_mut(*index) {
            Some(Step::Call(call)) => Some(call),
            _ => None,
        }
    }

    /// How the turn ends when the next message comes at `next`, or when the file ends.
    pub(super) fn finish(&mut self, next: Option<Timestamp>) {
        if self.turn.end.is_none() {
            self.turn.end = match self.last {
                Last::Answer { text: true } if self.waiting.is_empty() => Some((TurnStatus::Completed, self.last_at)),
                Last::Failure => Some((self.failed_as(), self.last_at)),
                _ => next.map(|next| (TurnStatus::Cancelled, next)),
            };
        }
        if self.turn.end.is_none()
            && let Some((id, _)) = self.calls.last().copied()
            && let Some(call) = self.call(id)
            && matches!(call.stop_reason, StopReason::Unknown | StopReason::ToolUse)
        {
            call.complete = false;
        }
    }

    /// A cancelled call is no failure.
    fn failed_as(&self) -> TurnStatus {
        match self.turn.steps.last() {
            Some(Step::Failed(failure)) if failure.class == ErrorClass::Cancelled => TurnStatus::Cancelled,
            _ => TurnStatus::Failed,
        }
    }
}
