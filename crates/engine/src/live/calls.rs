//! Calls to models and the tools they ask for, recorded as they happen. Not yet on the disk when these return.

use std::sync::Arc;

use catalogue::estimate::estimates;
use contracts::{
    CacheVariant, ModelId, NanoUsd, SessionId, Thread, Tokenizer, TurnId, Usage,
    events::{
        ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, RouteDecided, StopReason, ToolCalled,
        ToolFinished, ToolOutcome, TurnStatus,
    },
};
use event_core::{EventId, EventType, Sealed, Timestamp};
use transcripts::tool_call::{ToolLook, look};

use crate::{
    capture::bounded, engine::Engine, error::EngineError, observe::cut, recorder::turn_event, turn_outcome::TurnOutcome,
};

/// The longest name of a tool or of its call that an event carries, in bytes; the rest is cut.
const LONGEST_NAME: usize = 128;
/// The longest account of a call's usage that an event carries, in bytes; longer ones are dropped.
const LONGEST_USAGE: usize = 1_024;

/// A call to a model that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// The thread of the turn.
    pub thread: Thread,
    /// The model.
    pub model: ModelId,
    /// Number of the call in its turn, from 0.
    pub number: u64,
    /// When it was sent.
    pub sent_at: Timestamp,
}

/// What came back from a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallAnswer {
    /// What it used, when the provider says it.
    pub usage: Option<Usage>,
    /// The provider's own account of the usage.
    pub raw_usage: Option<String>,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// The tools it asked for.
    pub tools: Vec<ToolRequest>,
    /// Blocks of thinking.
    pub thinking_blocks: u32,
    /// When the answer began.
    pub began_at: Option<Timestamp>,
    /// When it was over.
    pub at: Timestamp,
}

/// A tool that a model asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRequest {
    /// The call of the tool, as the provider names it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is given, as JSON.
    pub arguments: String,
}

/// What came back from a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The call of the tool, as the provider names it.
    pub id: String,
    /// Whether it failed; false where the client does not say.
    pub failed: bool,
    /// Bytes of its result.
    pub bytes: u64,
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// What went wrong.
    pub class: ErrorClass,
    /// The provider's status code.
    pub status: Option<u16>,
    /// How often it was tried again.
    pub retries: u32,
    /// What it had used when it was cancelled or broke off, when the provider had said it.
    pub usage: Option<Usage>,
    /// The provider's own account of the usage.
    pub raw_usage: Option<String>,
}

impl Engine {
    /// Records that a call of a turn is sent to a model.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn call_sent(&mut self, outcome: &TurnOutcome, model: &ModelId) -> Result<Call, EngineError> {
        let (turn, input) = (outcome.turn, &outcome.input);
        let tokenizer = self.models.registry.get(model).map_or(Tokenizer::Generic, |model| model.tokenizer);
        let open = self.state().sessions.get(&input.session).and_then(|session| session.open(turn));
        let call = Call {
            turn,
            session: input.session.clone(),
            thread: input.thread.clone(),
            model: model.clone(),
            number: open.map_or(0, |open| u64::from(open.calls_sent)),
            sent_at: self.now(),
        };
        let event = LlmCallStarted {
            turn,
            session: call.session.clone(),
            thread: call.thread.clone(),
            parent: input.parent_thread.clone(),
            model: model.clone(),
            estimated_input: estimates(&input.prompt).of(tokenizer),
        };
        let sealed = turn_event(turn, call.number, call.sent_at, event)?.caused_by(turn.0.then(RouteDecided::KIND, 0));
        self.recorder.record([sealed])?;
        Ok(call)
    }

    /// Records what came back, the tools that were asked for, and the end of the turn unless it waits for them.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn call_answered(&mut self, call: &Call, answer: &CallAnswer) -> Result<(), EngineError> {
        let completed = LlmCallCompleted {
            turn: call.turn,
            session: call.session.clone(),
            thread: call.thread.clone(),
            model: call.model.clone(),
            usage: answer.usage.unwrap_or_default(),
            // What nobody counted costs nobody knows what.
            cost: answer.usage.and_then(|usage| self.cost(&call.model, &usage)),
            latency_ms: Some(answer.at.micros_since(call.sent_at) / 1_000),
            stop_reason: answer.stop_reason,
            tool_calls: u32::try_from(answer.tools.len()).unwrap_or(u32::MAX),
            thinking_blocks: answer.thinking_blocks,
            raw_usage: answer.raw_usage.clone().filter(|raw| raw.len() <= LONGEST_USAGE),
            variant: CacheVariant::PLAIN,
            began_at: answer.began_at,
        };
        let cause = call.turn.0.then(LlmCallStarted::KIND, call.number);
        let sealed = turn_event(call.turn, call.number, answer.at, completed)?.caused_by(cause);
        let cause = sealed.event.id;
        let mut events = vec![sealed];
        let workspace = self.state().sessions.get(&call.session).and_then(|session| session.workspace.clone());
        for (number, tool) in (0..).zip(&answer.tools) {
            let event = tool_called(call, tool, workspace.as_deref());
            // Some providers name no call, or the first of each answer the same: its place in the turn is its name.
            let id = cause.then(ToolCalled::KIND, number);
            events.push(Sealed::new(id, answer.at, call.turn.0, Arc::new(event))?.caused_by(cause));
        }
        self.recorder.record(events)?;
        if answer.stop_reason == StopReason::ToolUse {
            return Ok(());
        }
        self.end(&call.session, call.turn, TurnStatus::Completed)
    }

    /// Records that a call failed. The turn goes on: another model may take it.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn call_failed(&mut self, call: &Call, failure: CallFailure) -> Result<(), EngineError> {
        let event = LlmCallFailed {
            turn: call.turn,
            session: call.session.clone(),
            thread: call.thread.clone(),
            model: call.model.clone(),
            class: failure.class,
            status: failure.status,
            retries: failure.retries,
            usage: failure.usage,
            cost: failure.usage.and_then(|usage| self.cost(&call.model, &usage)),
            raw_usage: failure.raw_usage.filter(|raw| raw.len() <= LONGEST_USAGE),
        };
        let cause = call.turn.0.then(LlmCallStarted::KIND, call.number);
        let sealed = turn_event(call.turn, call.number, self.now(), event)?.caused_by(cause);
        self.recorder.record([sealed])?;
        self.react()
    }

    /// Records what tools of a turn brought.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn tools_answered(
        &mut self,
        session: &SessionId,
        turn: TurnId,
        answers: &[ToolAnswer],
    ) -> Result<(), EngineError> {
        let at = self.now();
        let open = self.state().sessions.get(session).and_then(|session| session.open(turn));
        let Some(open) = open else { return Ok(()) };
        let mut waiting = open.tools_waiting.clone();
        // A turn that has asked for nothing itself goes on with what one before it asked for.
        let goes_on = open.llm_calls == 0;
        let mut events = Vec::with_capacity(answers.len());
        for answer in answers {
            let called = match waiting.iter().position(|tool| tool.is_meant_by(&cut(&answer.id, LONGEST_NAME))) {
                Some(place) => waiting.remove(place).event,
                None if goes_on => EventId::derive(&[ToolCalled::KIND.as_bytes(), &turn.0.0, answer.id.as_bytes()]),
                // It was answered before: the client sends its request again.
                None => continue,
            };
            let event = ToolFinished {
                turn,
                session: session.clone(),
                call: cut(&answer.id, LONGEST_NAME),
                outcome: if answer.failed { ToolOutcome::Failed } else { ToolOutcome::Succeeded },
                output_bytes: answer.bytes,
            };
            let id = called.then(ToolFinished::KIND, 0);
            events.push(Sealed::new(id, at, turn.0, Arc::new(event))?.caused_by(called));
        }
        self.recorder.record(events)
    }

    fn cost(&self, model: &ModelId, usage: &Usage) -> Option<NanoUsd> {
        // Nobody's prices are guessed.
        Some(self.models.registry.get(model)?.prices?.cost(usage))
    }
}

fn tool_called(call: &Call, tool: &ToolRequest, workspace: Option<&str>) -> ToolCalled {
    let ToolLook { side_effect, extensions, directories, files, reverts } =
        look(&tool.name, &tool.arguments, workspace);
    ToolCalled {
        turn: call.turn,
        session: call.session.clone(),
        call: cut(&tool.id, LONGEST_NAME),
        name: cut(&tool.name, LONGEST_NAME),
        side_effect,
        extensions: bounded(&extensions),
        directories: bounded(&directories),
        files: files.into_iter().take(64).collect(),
        reverts,
    }
}
