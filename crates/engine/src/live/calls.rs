//! Records live LLM calls and the tool calls they request.
//!
//! The methods return before the events are durable; `Engine::commit` waits for that.

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

/// Maximum length of a tool name or a tool call id in an event, in bytes. Longer ones are truncated.
const LONGEST_NAME: usize = 128;
/// Maximum length of the provider's JSON usage object in an event, in bytes. A longer one is dropped.
const LONGEST_USAGE: usize = 1_024;

/// An LLM call that was sent. [`Engine::call_sent`] returns it; the answer or the failure is recorded with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Turn that the call belongs to.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Thread of the turn.
    pub thread: Thread,
    /// Model that was called.
    pub model: ModelId,
    /// Number of the call within its turn, from 0.
    pub number: u64,
    /// Time the call was sent.
    pub sent_at: Timestamp,
}

/// The complete answer to an LLM call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallAnswer {
    /// Tokens used; `None` if the provider sent no usage.
    pub usage: Option<Usage>,
    /// The provider's usage object as JSON, unchanged; `None` if it sent none.
    pub raw_usage: Option<String>,
    /// Reason the model stopped.
    pub stop_reason: StopReason,
    /// Tool calls that the model requested, in order.
    pub tools: Vec<ToolRequest>,
    /// Number of thinking blocks in the answer.
    pub thinking_blocks: u32,
    /// Time the answer began to arrive; `None` if unknown.
    pub began_at: Option<Timestamp>,
    /// Time the answer was complete.
    pub at: Timestamp,
}

/// A tool call that a model requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRequest {
    /// Id of the tool call as the provider wrote it; may be empty.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments of the call, as JSON.
    pub arguments: String,
}

/// The result of a tool call, as the client sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAnswer {
    /// Id of the tool call; the tool's name if the call has no id.
    pub id: String,
    /// Whether the tool failed; `false` if the client does not say.
    pub failed: bool,
    /// Length of the result in bytes.
    pub bytes: u64,
}

/// How an LLM call failed, or was cancelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// Kind of error.
    pub class: ErrorClass,
    /// HTTP status of the provider's response; `None` if there was no response.
    pub status: Option<u16>,
    /// Number of times the call was retried.
    pub retries: u32,
    /// Tokens used before the call failed or was cancelled, if the provider reported them.
    pub usage: Option<Usage>,
    /// The provider's usage object as JSON, unchanged; `None` if it sent none.
    pub raw_usage: Option<String>,
}

impl Engine {
    /// Records that a call of the turn `outcome` is sent to `model`, with the estimated input tokens.
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

    /// Records a complete answer and the tool calls it requests. Also ends the turn, unless the model stopped to use
    /// tools.
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
            // A call whose tokens are unknown has no cost.
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
            // Some providers send no call ids, or the same id in every answer. The event's id is therefore derived from
            // the call and the tool's position in the answer.
            let id = cause.then(ToolCalled::KIND, number);
            events.push(Sealed::new(id, answer.at, call.turn.0, Arc::new(event))?.caused_by(cause));
        }
        self.recorder.record(events)?;
        if answer.stop_reason == StopReason::ToolUse {
            return Ok(());
        }
        self.end(&call.session, call.turn, TurnStatus::Completed)
    }

    /// Records that a call failed or was cancelled. The turn stays open, because another model may answer it.
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

    /// Records the tool results that a client sent for a turn. Does nothing if the turn is not open.
    ///
    /// Results that were recorded before are skipped: clients send the whole history with each request.
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
        // A turn without a completed call may continue an earlier turn of the gateway, so its results can belong to
        // calls that it did not request.
        let goes_on = open.llm_calls == 0;
        let mut events = Vec::with_capacity(answers.len());
        for answer in answers {
            let called = match waiting.iter().position(|tool| tool.is_meant_by(&cut(&answer.id, LONGEST_NAME))) {
                Some(place) => waiting.remove(place).event,
                None if goes_on => EventId::derive(&[ToolCalled::KIND.as_bytes(), &turn.0.0, answer.id.as_bytes()]),
                // Recorded before: the client sends its request again.
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
        // No prices are assumed: without prices in the registry there is no cost.
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
