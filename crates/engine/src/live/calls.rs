//! Records model calls and tool calls as they happen. The events are durable after [`Engine::commit`].

use std::collections::BTreeSet;

use catalogue::estimate::estimate_for_each_tokenizer;
use contracts::{
    KeyId, ModelId, Requirement, ResponseSummary, SessionId, Thread, Tokenizer, TurnId, Usage,
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
    skill_routing::FailedTool,
    turn_events::{CallTimes, MAX_LABEL_BYTES, TurnEvents, truncate},
    turn_outcome::TurnOutcome,
};

/// The number of output tokens in the cost estimate of a call that has not ended. Calls of coding agents write a few
/// hundred tokens on average; a cached prompt costs less than estimated, so the estimate is high on the whole.
const EXPECTED_OUTPUT_TOKENS: u64 = 1_000;

/// A model call that was recorded as sent, for which a response or a failure is recorded later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The id of the turn.
    pub turn: TurnId,
    /// The session of the turn.
    pub session: SessionId,
    /// The thread of the turn.
    pub thread: Thread,
    /// The model that the call was sent to.
    pub model: ModelId,
    /// The number of the call in its turn, from 0.
    pub number: u64,
    /// The time at which the call was sent.
    pub sent_at: Timestamp,
}

/// A tool result in a client's request, as the engine records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The provider's id of the tool call, as the client repeats it.
    pub id: String,
    /// Whether the tool failed; false if the client does not state it.
    pub failed: bool,
    /// The size of the result, in bytes.
    pub bytes: u64,
    /// Extensions of the files that the result names, in lower case with the dot.
    pub extensions: BTreeSet<String>,
    /// The start of the output of a failed tool, at most [`MAX_FAILURE_BYTES`](crate::MAX_FAILURE_BYTES); empty if the tool
    /// succeeded.
    pub failure: String,
}

/// The failure of a model call: an error, a cancellation or an interruption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// The class of the error.
    pub class: ErrorClass,
    /// The HTTP status of the provider; `None` without a response.
    pub status: Option<u16>,
    /// The number of times that the same request was sent again before it counted as failed.
    pub retries: u32,
    /// The token usage until the call was cancelled or interrupted; `None` if the provider did not report it.
    pub usage: Option<Usage>,
    /// The usage object as the provider sent it, as JSON; `None` if there was none.
    pub raw_usage: Option<String>,
    /// The configured key that the provider rejected; `None` for other errors.
    pub key: Option<KeyId>,
}

impl Engine {
    /// Records that a model call of a turn is sent to `model`, and returns the call. `adapted` are the features of the
    /// request that are converted or removed because the model does not support them. The event is durable after
    /// [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn record_call(
        &mut self,
        outcome: &TurnOutcome,
        model: &ModelId,
        adapted: &BTreeSet<Requirement>,
    ) -> Result<Call, EngineError> {
        let (turn, input) = (outcome.turn, &outcome.input);
        self.load_session(&input.session)?;
        let spec = self.models.registry.get(model);
        let estimated_input = estimate_for_each_tokenizer(&input.prompt)
            .for_tokenizer(spec.map_or(Tokenizer::Generic, |spec| spec.tokenizer));
        let usage = Usage { input: estimated_input, output: EXPECTED_OUTPUT_TOKENS, ..Usage::default() };
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
            estimated_input,
            estimated_cost: spec.and_then(|spec| spec.prices).map(|prices| prices.cost(&usage)),
            adapted: adapted.iter().copied().collect(),
        };
        let sealed = turn_event(turn, call.number, call.sent_at, event)?.caused_by(turn.0.then(RouteDecided::KIND, 0));
        self.recorder.record([sealed])?;
        Ok(call)
    }

    /// Records the response of a model call and the tool calls in it. Also records the end of the turn, unless the
    /// model waits for tool results. `began_at` is the time of the first byte of the response (`None` if unknown), `at`
    /// the time of its end.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn record_response(
        &mut self,
        call: &Call,
        response: &ResponseSummary,
        began_at: Option<Timestamp>,
        at: Timestamp,
    ) -> Result<(), EngineError> {
        self.load_session(&call.session)?;
        let events = self.turn_events(call);
        let tool_calls = u32::try_from(response.tool_calls.len()).unwrap_or(u32::MAX);
        let times = CallTimes { sent_at: Some(call.sent_at), began_at, at };
        let completed = events.call_completed(call.model.clone(), times, response, tool_calls);
        let cause = call.turn.0.then(LlmCallStarted::KIND, call.number);
        let id = call.turn.0.then(LlmCallCompleted::KIND, call.number);
        let mut sealed = vec![events.seal(id, at, cause, completed)?];
        let workspace = self.state().sessions.get(&call.session).and_then(|session| session.workspace.as_deref());
        for (number, tool) in (0..).zip(&response.tool_calls) {
            let class = classify_tool_call(&tool.name, &tool.arguments, workspace);
            let called = events.tool_called(&tool.id, &tool.name, &class);
            // Some providers give no id to a call, or the same one to the first call of each response.
            let called_id = id.then(ToolCalled::KIND, number);
            sealed.push(events.seal(called_id, at, id, called)?);
            sealed.extend(events.skill_loaded(called_id, at, &tool.id, &class)?);
        }
        self.recorder.record(sealed)?;
        if response.stop_reason == StopReason::ToolUse {
            return Ok(());
        }
        self.end_turn(&call.session, call.turn, TurnStatus::Completed)
    }

    /// Records that a model call failed, and an outage that follows from it. The turn stays open, since another model
    /// may continue it.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn record_call_failure(&mut self, call: &Call, failure: &CallFailure) -> Result<(), EngineError> {
        let events = self.turn_events(call);
        let event = events.call_failed(call.model.clone(), failure);
        let (id, cause) = (LlmCallFailed::KIND, LlmCallStarted::KIND);
        let [id, cause] = [id, cause].map(|kind| call.turn.0.then(kind, call.number));
        let sealed = events.seal(id, self.now(), cause, event)?;
        self.recorder.record([sealed])?;
        self.record_consequences()
    }

    /// Records the tool results of a request that the log does not have yet; clients resend all earlier ones. Records
    /// nothing if the turn has ended. Also records that a deferred skill is due after a failure of its domain.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn record_tool_results(
        &mut self,
        session: &SessionId,
        turn: TurnId,
        results: &[ToolResult],
    ) -> Result<(), EngineError> {
        let at = self.now();
        self.load_session(session)?;
        let open = self.state().sessions.get(session).and_then(|session| session.open_turn(turn));
        let Some(open) = open else { return Ok(()) };
        let registry = &self.models.registry;
        let events = TurnEvents { turn, session, thread: &open.thread, registry };
        let mut waiting = open.tools_waiting.clone();
        // Before its first response, a turn may receive results for tool calls of an earlier turn.
        let has_no_response = open.llm_calls == 0;
        let (mut sealed, mut failures) = (Vec::with_capacity(results.len()), Vec::new());
        for result in results {
            let called =
                match waiting.iter().position(|tool| tool.matches_result(&truncate(&result.id, MAX_LABEL_BYTES))) {
                    Some(index) => waiting.remove(index).event,
                    None if has_no_response => {
                        EventId::derive(&[ToolCalled::KIND.as_bytes(), &turn.0.0, result.id.as_bytes()])
                    }
                    // The result was recorded before; the client has resent it.
                    None => continue,
                };
            let outcome = if result.failed { ToolOutcome::Failed } else { ToolOutcome::Succeeded };
            let finished = events.tool_finished(&result.id, outcome, result.bytes, &result.extensions);
            sealed.push(events.seal(called.then(ToolFinished::KIND, 0), at, called, finished)?);
            if !result.failure.is_empty() {
                let (call, output) = (truncate(&result.id, MAX_LABEL_BYTES), result.failure.clone());
                failures.push(FailedTool { called, call, output });
            }
        }
        self.recorder.record(sealed)?;
        for failed in &failures {
            self.activate_deferred_skill(session, turn, failed)?;
        }
        Ok(())
    }

    /// Returns the builder for the events of the turn that a model call belongs to.
    fn turn_events<'a>(&'a self, call: &'a Call) -> TurnEvents<'a> {
        let Call { turn, session, thread, .. } = call;
        TurnEvents { turn: *turn, session, thread, registry: &self.models.registry }
    }
}
