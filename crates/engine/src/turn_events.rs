//! Builds the events of a turn after its decision. Live requests and imported session files use this one builder, so
//! that a conversation is recorded as the same events either way.

use std::{collections::BTreeSet, sync::Arc};

use contracts::{
    CacheVariant, Event, ModelId, NanoUsd, Registry, ResponseSummary, Sealed, SessionId, Thread, TurnId, Usage,
    events::{
        LlmCallCompleted, LlmCallFailed, RouteDecided, SessionStarted, SkillLoaded, ToolCalled, ToolFinished,
        ToolOutcome, TurnEnded, TurnStatus,
    },
};
use event_core::{EventId, EventType, Timestamp};
use transcripts::tool_call::ToolClass;

use crate::{
    capture::{MAX_PATH_BYTES, bounded_names, project_path},
    error::EngineError,
    live::CallFailure,
};

/// The maximum length in bytes of a tool's name, a call's id or a client's name in an event; longer ones are truncated.
pub(crate) const MAX_LABEL_BYTES: usize = 128;
/// The maximum length of a recorded usage object, in bytes; longer ones are dropped.
const MAX_USAGE_BYTES: usize = 1_024;
/// The least limit of input tokens of a plausible usage: some models accept a million tokens with a beta header. Beyond it,
/// twice the context window is the limit, because tools of the provider add their results to the prompt.
const MIN_INPUT_LIMIT: u64 = 1_100_000;
/// The least limit of output tokens of a plausible usage. Beyond it, twice the maximum output is the limit.
const MIN_OUTPUT_LIMIT: u64 = 256_000;
/// The maximum number of files recorded for one tool call; further ones are dropped.
const MAX_FILES: usize = 64;

/// The times of a model call with a response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallTimes {
    /// The time at which the call was sent; `None` if unknown.
    pub(crate) sent_at: Option<Timestamp>,
    /// The time of the first byte of the response; `None` if unknown.
    pub(crate) began_at: Option<Timestamp>,
    /// The time of the end of the response.
    pub(crate) at: Timestamp,
}

/// Builds the events of a turn. Contains the ids of the turn, which are in all its events, and the models with their
/// prices.
pub(crate) struct TurnEvents<'a> {
    /// The id of the turn.
    pub(crate) turn: TurnId,
    /// The session of the turn.
    pub(crate) session: &'a SessionId,
    /// The thread of the turn: the main conversation or a sub-agent.
    pub(crate) thread: &'a Thread,
    /// The models whose prices apply to its calls.
    pub(crate) registry: &'a Registry,
}

impl TurnEvents<'_> {
    /// Returns the id of the event that records the decision about the turn.
    pub(crate) fn decision_id(&self) -> EventId {
        self.turn.0.then(RouteDecided::KIND, 0)
    }

    /// Builds the event of a model call with a response. The latency is the time from sending the call to the end of
    /// the response; it is not recorded if the time of sending is unknown or later. `tool_calls` is the number of tool
    /// calls in the response.
    pub(crate) fn call_completed(
        &self,
        model: ModelId,
        times: CallTimes,
        response: &ResponseSummary,
        tool_calls: u32,
    ) -> LlmCallCompleted {
        let CallTimes { sent_at, began_at, at } = times;
        let sent_at = sent_at.filter(|sent| *sent <= at);
        let usage = response.usage.filter(|usage| self.is_plausible(&model, usage));
        LlmCallCompleted {
            turn: self.turn,
            session: self.session.clone(),
            thread: self.thread.clone(),
            usage: usage.unwrap_or_default(),
            cost: self.cost(&model, usage),
            model,
            latency_ms: sent_at.map(|sent| at.micros_since(sent) / 1_000),
            stop_reason: response.stop_reason,
            tool_calls,
            thinking_blocks: response.thinking_blocks,
            raw_usage: bounded_usage(response.raw_usage.as_ref()),
            variant: CacheVariant::PLAIN,
            began_at: began_at.filter(|began| *began <= at),
        }
    }

    /// Builds the event of a model call that failed, was cancelled or was interrupted.
    pub(crate) fn call_failed(&self, model: ModelId, failure: &CallFailure) -> LlmCallFailed {
        let usage = failure.usage.filter(|usage| self.is_plausible(&model, usage));
        LlmCallFailed {
            turn: self.turn,
            session: self.session.clone(),
            thread: self.thread.clone(),
            class: failure.class,
            status: failure.status,
            retries: failure.retries,
            usage,
            cost: self.cost(&model, usage),
            model,
            raw_usage: bounded_usage(failure.raw_usage.as_ref()),
            key: failure.key.clone(),
        }
    }

    /// Builds the event of a tool call. `call` is the provider's id of the tool call, `name` the tool.
    pub(crate) fn tool_called(&self, call: &str, name: &str, class: &ToolClass) -> ToolCalled {
        ToolCalled {
            turn: self.turn,
            session: self.session.clone(),
            call: truncate(call, MAX_LABEL_BYTES),
            name: truncate(name, MAX_LABEL_BYTES),
            side_effect: class.side_effect,
            extensions: bounded_names(&class.extensions),
            directories: bounded_names(&class.directories),
            // A truncated list still contains a file: an empty one with `reverts` would stand for all files.
            files: class.files.iter().take(MAX_FILES).copied().collect(),
            reverts: class.reverts,
        }
    }

    /// Encodes the event of the skill that a tool call loads; `None` for a call of another tool. `called` is the event of the
    /// tool call at the time `at`, and `call` the provider's id of it.
    ///
    /// # Errors
    /// [`EngineError`] if the event cannot be encoded.
    pub(crate) fn skill_loaded(
        &self,
        called: EventId,
        at: Timestamp,
        call: &str,
        class: &ToolClass,
    ) -> Result<Option<Sealed>, EngineError> {
        let Some(skill) = class.skill.clone() else { return Ok(None) };
        let loaded = SkillLoaded {
            turn: self.turn,
            session: self.session.clone(),
            thread: self.thread.clone(),
            skill,
            call: Some(truncate(call, MAX_LABEL_BYTES)),
        };
        Ok(Some(self.seal(called.then(SkillLoaded::KIND, 0), at, called, loaded)?))
    }

    /// Builds the event of a tool result. `call` is the provider's id of the tool call, `output_bytes` the size of the
    /// result, and `extensions` the extensions of the files in it.
    pub(crate) fn tool_finished(
        &self,
        call: &str,
        outcome: ToolOutcome,
        output_bytes: u64,
        extensions: &BTreeSet<String>,
    ) -> ToolFinished {
        ToolFinished {
            turn: self.turn,
            session: self.session.clone(),
            call: truncate(call, MAX_LABEL_BYTES),
            outcome,
            output_bytes,
            extensions: bounded_names(extensions),
        }
    }

    /// Builds the event of the end of the turn. `llm_calls` counts its model calls with a response, `tool_calls` its
    /// tool calls.
    pub(crate) fn turn_ended(&self, status: TurnStatus, llm_calls: u32, tool_calls: u32) -> TurnEnded {
        TurnEnded { turn: self.turn, session: self.session.clone(), status, llm_calls, tool_calls }
    }

    /// Encodes an event of the turn with the id `id` and the time `at`, caused by the event `cause`.
    ///
    /// # Errors
    /// [`EngineError`] if the event cannot be encoded.
    pub(crate) fn seal<E: EventType>(
        &self,
        id: EventId,
        at: Timestamp,
        cause: EventId,
        event: E,
    ) -> Result<Sealed, EngineError>
    where
        Event: From<Arc<E>>,
    {
        Ok(Sealed::new(id, at, self.turn.0, Arc::new(event))?.caused_by(cause))
    }

    /// Returns whether a model can use this many tokens in a call. Tokens beyond that are an error of the provider: the
    /// event contains its usage object and neither counts nor a cost, so that no sum and no budget includes them.
    fn is_plausible(&self, model: &ModelId, usage: &Usage) -> bool {
        let (window, output) = self.registry.get(model).map_or((0, 0), |spec| (spec.context_window, spec.max_output));
        let is_plausible = usage.input_total() <= window.saturating_mul(2).max(MIN_INPUT_LIMIT)
            && usage.output <= output.saturating_mul(2).max(MIN_OUTPUT_LIMIT);
        if !is_plausible {
            tracing::warn!(%model, turn = %self.turn, "the provider reports an implausible usage, which is not counted");
        }
        is_plausible
    }

    /// Returns the cost of a model call; `None` if its usage or the prices of the model are unknown.
    fn cost(&self, model: &ModelId, usage: Option<Usage>) -> Option<NanoUsd> {
        Some(self.registry.get(model)?.prices?.cost(&usage?))
    }
}

/// Encodes the start of a session. A workspace path is normalised, or dropped if it is too long. A long client name is
/// truncated. The id is derived from the session, so the log records the event once.
///
/// # Errors
/// [`EngineError`] if the event cannot be encoded.
pub(crate) fn session_started(event: SessionStarted, at: Timestamp) -> Result<Sealed, EngineError> {
    let correlation = event.session.correlation();
    let event = SessionStarted {
        workspace: event.workspace.filter(|path| path.len() <= MAX_PATH_BYTES).map(|path| project_path(&path)),
        client: event.client.map(|client| truncate(&client, MAX_LABEL_BYTES)),
        ..event
    };
    Ok(Sealed::new(correlation.then(SessionStarted::KIND, 0), at, correlation, Arc::new(event))?)
}

/// Returns a copy of a recorded usage object; `None` if it is missing or longer than [`MAX_USAGE_BYTES`].
fn bounded_usage(raw: Option<&String>) -> Option<String> {
    raw.filter(|raw| raw.len() <= MAX_USAGE_BYTES).cloned()
}

/// Returns the first `max_bytes` bytes of a text, rounded down to a character boundary.
pub(crate) fn truncate(text: &str, max_bytes: usize) -> String {
    text[..text.floor_char_boundary(max_bytes)].to_owned()
}
