//! Calls to models and the tools they ask for, recorded as they happen. Not yet on the disk when these return.

use catalogue::estimate::estimates;
use contracts::{
    ModelId, SessionId, Thread, Tokenizer, TurnId, Usage,
    events::{
        ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, RouteDecided, StopReason, ToolCalled,
        ToolFinished, ToolOutcome, TurnStatus,
    },
};
use event_core::{EventId, EventType, Timestamp};
use transcripts::tool_call::classify_tool_call;

use crate::{
    engine::Engine,
    error::EngineError,
    recorder::turn_event,
    turn_events::{LONGEST_NAME, TurnEvents, cut},
    turn_outcome::TurnOutcome,
};

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
        let open = self.state().sessions.get(&input.session).and_then(|session| session.open_turn(turn));
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
        let events = self.turn_events(call);
        let tool_calls = u32::try_from(answer.tools.len()).unwrap_or(u32::MAX);
        let completed = events.call_completed(call.model.clone(), Some(call.sent_at), answer, tool_calls);
        let cause = call.turn.0.then(LlmCallStarted::KIND, call.number);
        let id = call.turn.0.then(LlmCallCompleted::KIND, call.number);
        let mut sealed = vec![events.seal(id, answer.at, cause, completed)?];
        let workspace = self.state().sessions.get(&call.session).and_then(|session| session.workspace.as_deref());
        for (number, tool) in (0..).zip(&answer.tools) {
            let class = classify_tool_call(&tool.name, &tool.arguments, workspace);
            let called = events.tool_called(&tool.id, &tool.name, &class);
            // Some providers give no id to a call, or the same one to the first call of each response.
            sealed.push(events.seal(id.then(ToolCalled::KIND, number), answer.at, id, called)?);
        }
        self.recorder.record(sealed)?;
        if answer.stop_reason == StopReason::ToolUse {
            return Ok(());
        }
        self.end(&call.session, call.turn, TurnStatus::Completed)
    }

    /// Records that a call failed. The turn goes on: another model may take it.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn call_failed(&mut self, call: &Call, failure: &CallFailure) -> Result<(), EngineError> {
        let events = self.turn_events(call);
        let event = events.call_failed(call.model.clone(), failure);
        let (id, cause) = (LlmCallFailed::KIND, LlmCallStarted::KIND);
        let [id, cause] = [id, cause].map(|kind| call.turn.0.then(kind, call.number));
        let sealed = events.seal(id, self.now(), cause, event)?;
        self.recorder.record([sealed])?;
        self.record_consequences()
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
        let open = self.state().sessions.get(session).and_then(|session| session.open_turn(turn));
        let Some(open) = open else { return Ok(()) };
        let registry = &self.models.registry;
        let events = TurnEvents { turn, session, thread: &open.thread, registry };
        let mut waiting = open.tools_waiting.clone();
        // A turn that has asked for nothing itself goes on with what one before it asked for.
        let goes_on = open.llm_calls == 0;
        let mut sealed = Vec::with_capacity(answers.len());
        for answer in answers {
            let called = match waiting.iter().position(|tool| tool.matches_result(&cut(&answer.id, LONGEST_NAME))) {
                Some(place) => waiting.remove(place).event,
                None if goes_on => EventId::derive(&[ToolCalled::KIND.as_bytes(), &turn.0.0, answer.id.as_bytes()]),
                // It was answered before: the client sends its request again.
                None => continue,
            };
            let outcome = if answer.failed { ToolOutcome::Failed } else { ToolOutcome::Succeeded };
            let finished = events.tool_finished(&answer.id, outcome, answer.bytes);
            sealed.push(events.seal(called.then(ToolFinished::KIND, 0), at, called, finished)?);
        }
        self.recorder.record(sealed)
    }

    fn turn_events<'a>(&'a self, call: &'a Call) -> TurnEvents<'a> {
        let Call { turn, session, thread, .. } = call;
        TurnEvents { turn: *turn, session, thread, registry: &self.models.registry }
    }
}
