//! Converts the steps of a turn from a session file into events.

use std::collections::BTreeSet;

use contracts::{
    ModelId, ModelSpec, Registry, ResponseSummary, Sealed,
    events::{
        LlmCallCompleted, LlmCallFailed, SessionCompacted, SessionResumed, SessionSource, ToolCalled, ToolFinished,
        TurnEnded,
    },
};
use event_core::{EventId, EventType as _};
use transcripts::observed::{ObservedCall, ObservedFailure, ObservedResult, ObservedTool, ObservedTurn, Step};

use crate::{
    error::EngineError,
    live::CallFailure,
    turn_events::{CallTimes, MAX_LABEL_BYTES, TurnEvents},
};

/// Converts everything that follows the decision of an imported turn into events. The ids of the events are derived
/// from the client's own ids, so that a second import, or an import of the file after it has grown, records nothing
/// twice.
///
/// # Errors
/// [`EngineError`] if an event cannot be encoded.
pub(crate) fn events_after_decision(
    turn: &ObservedTurn,
    source: SessionSource,
    registry: &Registry,
) -> Result<Vec<Sealed>, EngineError> {
    let events = TurnEvents { turn: turn.id(), session: &turn.session, thread: &turn.thread, registry };
    let causes = Causes::new(turn, events.decision_id());
    let mut sealed = Vec::with_capacity(turn.steps.len() + 1);
    for step in &turn.steps {
        sealed.extend(step_event(&events, &causes, source, step)?);
        if let Step::ToolCalled(tool) = step {
            let called = client_event_id(ToolCalled::KIND, &tool.id);
            sealed.extend(events.skill_loaded(called, tool.at, &tool.id, &tool.class)?);
        }
    }
    if let Some((status, at)) = turn.end {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let ended = events.turn_ended(status, count(turn.calls().count()), count(turn.tools().count()));
        sealed.push(events.seal(events.turn.0.then(TurnEnded::KIND, 0), at, events.decision_id(), ended)?);
    }
    Ok(sealed)
}

/// Converts one step of an imported turn into an event. `None` for a response that may not be complete: an import of
/// the file after it has grown records all of it.
fn step_event(
    events: &TurnEvents<'_>,
    causes: &Causes<'_>,
    source: SessionSource,
    step: &Step,
) -> Result<Option<Sealed>, EngineError> {
    let sealed = match step {
        Step::Call(call) if !call.complete => return Ok(None),
        Step::Call(call) => {
            let model = model_id(events.registry, source, &call.model)?;
            let times = CallTimes { sent_at: call.started_at, began_at: Some(call.began_at), at: call.at };
            let completed = events.call_completed(model, times, &call_response(call), call.tool_calls);
            let completed = LlmCallCompleted { variant: call.variant, ..completed };
            events.seal(completed_id(call.id), call.at, events.decision_id(), completed)?
        }
        Step::ToolCalled(tool) => {
            let called = events.tool_called(&tool.id, &tool.name, &tool.class);
            events.seal(client_event_id(ToolCalled::KIND, &tool.id), tool.at, causes.cause_of_call(tool), called)?
        }
        Step::ToolFinished(result) => {
            let finished = events.tool_finished(&result.id, result.outcome, result.output_bytes, &result.extensions);
            events.seal(
                client_event_id(ToolFinished::KIND, &result.id),
                result.at,
                causes.cause_of_result(result),
                finished,
            )?
        }
        Step::Failed(failed) => {
            let model = model_id(events.registry, source, failed.model.as_deref().unwrap_or("unknown"))?;
            let event = events.call_failed(model, &call_failure(failed));
            events.seal(client_event_id(LlmCallFailed::KIND, &failed.id), failed.at, events.decision_id(), event)?
        }
        Step::Compacted(compaction) => {
            let event = SessionCompacted {
                session: events.session.clone(),
                thread: events.thread.clone(),
                trigger: compaction.trigger,
                tokens_before: compaction.tokens_before,
            };
            let id = client_event_id(SessionCompacted::KIND, &compaction.id);
            events.seal(id, compaction.at, events.decision_id(), event)?
        }
        Step::Resumed(resumption) => {
            let event = SessionResumed { session: events.session.clone() };
            events.seal(
                client_event_id(SessionResumed::KIND, &resumption.id),
                resumption.at,
                events.decision_id(),
                event,
            )?
        }
    };
    Ok(Some(sealed))
}

/// The events that cause the tool calls and results of an imported turn: the response and the tool call, as in a live
/// turn. If the file lacks them, the cause is the decision, so that every cause is in the log.
struct Causes<'a> {
    /// The event of the decision about the turn.
    decision: EventId,
    /// Calls whose response is complete.
    calls: BTreeSet<EventId>,
    /// Ids of the tool calls.
    tools: BTreeSet<&'a str>,
}

impl<'a> Causes<'a> {
    /// Collects the complete calls and the tool calls of a turn. `decision` is the event of its decision.
    fn new(turn: &'a ObservedTurn, decision: EventId) -> Self {
        let calls = turn.calls().filter(|call| call.complete).map(|call| call.id).collect();
        Self { decision, calls, tools: turn.tools().map(|tool| tool.id.as_str()).collect() }
    }

    /// Returns the event that caused a tool call: the response that contains it, or else the decision.
    fn cause_of_call(&self, tool: &ObservedTool) -> EventId {
        if self.calls.contains(&tool.call) { completed_id(tool.call) } else { self.decision }
    }

    /// Returns the event that caused a tool result: its tool call, or else the decision.
    fn cause_of_result(&self, result: &ObservedResult) -> EventId {
        if self.tools.contains(result.id.as_str()) {
            client_event_id(ToolCalled::KIND, &result.id)
        } else {
            self.decision
        }
    }
}

/// Derives the id of an event from its kind and the client's id of the recorded step.
fn client_event_id(kind: &str, id: &str) -> EventId {
    EventId::derive(&[kind.as_bytes(), id.as_bytes()])
}

/// Returns the id of the event of a call with a response.
fn completed_id(call: EventId) -> EventId {
    call.then(LlmCallCompleted::KIND, 0)
}

/// Converts a response in a session file to the form that the engine records. Its tool calls are steps of their own.
fn call_response(call: &ObservedCall) -> ResponseSummary {
    ResponseSummary {
        usage: Some(call.usage),
        raw_usage: call.raw_usage.clone(),
        stop_reason: call.stop_reason,
        thinking_blocks: call.thinking_blocks,
        ..ResponseSummary::default()
    }
}

/// Converts a failed call in a session file to the form that the engine records. Session files do not record the tokens
/// that a call had used before it failed.
fn call_failure(failed: &ObservedFailure) -> CallFailure {
    let retries = failed.attempt.unwrap_or_default();
    CallFailure { class: failed.class, status: failed.status, retries, usage: None, raw_usage: None, key: None }
}

/// Resolves the model that a session file names: a model of the registry, or else the provider's name for it.
///
/// Claude Code names models without their provider, and some names contain colons. The readers of the other formats put
/// the provider before the first colon.
pub(crate) fn model_id(registry: &Registry, source: SessionSource, name: &str) -> Result<ModelId, EngineError> {
    let (provider, bare) = match source {
        SessionSource::Codex | SessionSource::OpenAiLog => name.split_once(':').unwrap_or(("openai", name)),
        SessionSource::ClaudeCode | SessionSource::CommandLine | SessionSource::Gateway => ("anthropic", name),
    };
    let is_of_provider = |known: &&ModelSpec| name == bare || known.id.provider() == provider;
    if let Some(known) = registry.named(bare).filter(is_of_provider) {
        return Ok(known.id.clone());
    }
    let sanitize = |text: &str, fallback: &str| -> String {
        let printable =
            text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(MAX_LABEL_BYTES).collect::<String>();
        if printable.is_empty() {
            fallback.to_owned()
        } else {
            printable[..printable.floor_char_boundary(56)].to_owned()
        }
    };
    let (provider, bare) = (sanitize(provider, "unknown"), sanitize(bare, "unknown"));
    Ok(ModelId::try_from(format!("{provider}:{bare}").as_str())?)
}
