//! State of one thread of a session, and its running turn.

use std::collections::BTreeSet;

use catalogue::estimate::{PromptShape, estimate_tokens};
use contracts::{
    CacheVariant, Requirement, SessionId, ThreadId, Tokenizer,
    events::{ErrorClass, StopReason, TurnStatus},
};
use event_core::{EventId, Timestamp};

pub(super) use crate::session_file::LastLine;

use crate::observed::{ObservedCall, ObservedCompaction, ObservedTurn, Step, ThreadState};

/// Estimated number of tokens that Claude Code sends before the first message: system prompt, tool definitions, project
/// notes. They are not recorded in the file. The median of the first calls of 33 recorded sessions, without the
/// message, is 40,500 (25,900 to 68,200). Sub-agents send fewer; their number is not recorded.
pub const PREAMBLE_TOKENS: u64 = 40_000;

/// Identifies a thread of a session: the main conversation (`None`) or a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ThreadKey(pub(super) Option<ThreadId>);

impl ThreadKey {
    /// The key of the main conversation.
    pub(super) const MAIN: Self = Self(None);

    /// Returns whether this is the main conversation.
    pub(super) const fn is_main(&self) -> bool {
        self.0.is_none()
    }
}

/// State of a thread of a recorded session: its prompt so far, its last model and its running turn.
#[derive(Debug)]
pub(super) struct Thread {
    /// State of the thread that is recorded if a turn starts now.
    pub(super) before: ThreadState,
    /// Tokens before the first message: [`PREAMBLE_TOKENS`] until the usage of the first call shows the actual number.
    preamble: u64,
    /// Model of the last call.
    pub(super) model: Option<String>,
    /// Cache variant of the next calls: user message, or command or skill.
    pub(super) variant: CacheVariant,
    /// Whether the user left the session after a call.
    pub(super) was_left: bool,
    /// Index of the running turn in the batch.
    pub(super) turn: Option<usize>,
    /// Turn of a command that no call has followed yet.
    pub(super) candidate: Option<OpenTurn>,
    /// Compactions before the first turn.
    pub(super) early_compactions: Vec<ObservedCompaction>,
    /// Time of the last line.
    pub(super) last_at: Option<Timestamp>,
}

impl Thread {
    /// Creates the state of a thread without messages.
    pub(super) fn new() -> Self {
        let mut initial_state = ThreadState::default();
        initial_state.prompt.recorded_tokens = PREAMBLE_TOKENS;
        Self {
            before: initial_state,
            preamble: PREAMBLE_TOKENS,
            model: None,
            variant: CacheVariant::PLAIN,
            was_left: false,
            turn: None,
            candidate: None,
            early_compactions: Vec::new(),
            last_at: None,
        }
    }

    /// Records that the user left the session, unless the thread has no model call yet.
    pub(super) fn leave(&mut self) {
        self.was_left |= self.model.is_some();
    }

    /// Adds text and images to the prompt of the next call.
    pub(super) fn add_text(&mut self, characters: u64, images: u64) {
        let prompt = &mut self.before.prompt;
        prompt.characters += characters;
        prompt.messages += 1;
        prompt.images += images;
        self.before.images |= 0 < images;
    }

    /// Replaces the estimated size of the thread's prompt by the number of input tokens that a response reports.
    pub(super) fn set_recorded_tokens(&mut self, input_tokens: u64) {
        if self.model.is_none() {
            let known_prompt = PromptShape { recorded_tokens: 0, ..self.before.prompt };
            self.preamble = input_tokens.saturating_sub(estimate_tokens(Tokenizer::Anthropic, &known_prompt));
        }
        self.before.prompt = PromptShape { recorded_tokens: input_tokens, messages: 1, ..PromptShape::default() };
    }

    /// Replaces the prompt of the thread by a summary of `characters` characters, as a compaction does.
    pub(super) fn compact(&mut self, characters: u64) {
        self.before.prompt =
            PromptShape { recorded_tokens: self.preamble, characters, messages: 1, ..PromptShape::default() };
        self.before.images = false;
        self.before.requires.remove(&Requirement::EarlierThinking);
    }
}

/// A turn whose end has not been read, with the values that will determine its final status.
#[derive(Debug)]
pub(super) struct OpenTurn {
    /// The turn as read so far.
    pub(super) turn: ObservedTurn,
    /// Thread of the turn.
    pub(super) key: ThreadKey,
    /// Ids of its calls, with their index in the steps.
    pub(super) calls: Vec<(EventId, usize)>,
    /// Ids of the tool calls without a result.
    pub(super) unanswered_calls: BTreeSet<String>,
    /// Kind of the last line.
    pub(super) last_line: LastLine,
    /// Time of the last line.
    pub(super) last_at: Timestamp,
}

impl OpenTurn {
    /// Creates the turn that a message of the thread `key` starts at `at`. `has_images` is whether the message has images,
    /// `before` the state of the thread before it.
    pub(super) fn new(
        session: SessionId,
        key: ThreadKey,
        name: String,
        at: Timestamp,
        message: String,
        has_images: bool,
        before: ThreadState,
    ) -> Self {
        let turn = ObservedTurn {
            session,
            name,
            thread: key.0.clone().into(),
            started_at: at,
            message,
            message_has_images: has_images,
            before,
            steps: Vec::new(),
            end: None,
        };
        Self {
            turn,
            key,
            calls: Vec::new(),
            unanswered_calls: BTreeSet::new(),
            last_line: LastLine::Message,
            last_at: at,
        }
    }

    /// Records kind and time of the last line.
    pub(super) fn record_last_line(&mut self, last: LastLine, at: Timestamp) {
        self.last_line = last;
        self.last_at = at;
    }

    /// Returns the model call with this id; `None` if it does not belong to this turn.
    pub(super) fn call(&mut self, id: EventId) -> Option<&mut ObservedCall> {
        let (_, index) = self.calls.iter().rev().find(|(call, _)| *call == id)?;
        match self.turn.steps.get_mut(*index) {
            Some(Step::Call(call)) => Some(call),
            _ => None,
        }
    }

    /// Sets status and time of the turn's end, unless they are set. They depend on the last line of the turn and on the
    /// time `next_start` of the next message (`None` at the end of the file).
    pub(super) fn finish(&mut self, next_start: Option<Timestamp>) {
        if self.turn.end.is_none() {
            self.turn.end = match self.last_line {
                LastLine::Answer { text: true } if self.unanswered_calls.is_empty() => {
                    Some((TurnStatus::Completed, self.last_at))
                }
                LastLine::Failure => Some((self.failure_status(), self.last_at)),
                _ => next_start.map(|next_start| (TurnStatus::Cancelled, next_start)),
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

    /// Returns the status of a turn that ends with a failed model call: cancelled if the call was cancelled, and
    /// otherwise failed.
    fn failure_status(&self) -> TurnStatus {
        match self.turn.steps.last() {
            Some(Step::Failed(failure)) if failure.class == ErrorClass::Cancelled => TurnStatus::Cancelled,
            _ => TurnStatus::Failed,
        }
    }
}
