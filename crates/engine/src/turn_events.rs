//! Builds the events of a turn after its decision. Live requests and imported session files use this one builder, so
//! that a conversation is recorded as the same events either way.

use std::sync::Arc;

use contracts::{
    CacheVariant, ModelId, NanoUsd, Registry, SessionId, Thread, TurnId, Usage,
    events::{
        LlmCallCompleted, LlmCallFailed, RouteDecided, SessionStarted, ToolCalled, ToolFinished, ToolOutcome,
        TurnEnded, TurnStatus,
    },
};
use event_core::{EventId, EventType, Sealed, Timestamp};
use transcripts::tool_call::ToolClass;

use crate::{
    capture::{MAX_PATH_BYTES, bounded_names},
    error::EngineError,
    live::{CallFailure, CallResponse},
};

/// The maximum length in bytes of a tool's name, a call's id or a client's name in an event; longer ones are truncated.
pub(crate) const MAX_LABEL_BYTES: usize = 128;
/// The maximum length of a recorded usage object, in bytes; longer ones are dropped.
const MAX_USAGE_BYTES: usize = 1_024;
/// The maximum number of files recorded for one tool call; further ones are dropped.
const MAX_FILES: usize = 64;

/// The identity of a turn, which all its events contain, and the models whose prices apply.
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

    /// Builds the event of a call with a response. The latency is the time from `sent_at` to the end of the response,
    /// and is not recorded if `sent_at` is `None` or later than that. `tool_calls` is the number of tool calls in the
    /// response.
    pub(crate) fn call_completed(
        &self,
        model: ModelId,
        sent_at: Option<Timestamp>,
        response: &CallResponse,
        tool_calls: u32,
    ) -> LlmCallCompleted {
        let sent_at = sent_at.filter(|sent| *sent <= response.at);
        LlmCallCompleted {
            turn: self.turn,
            session: self.session.clone(),
            thread: self.thread.clone(),
            usage: response.usage.unwrap_or_default(),
            cost: self.cost(&model, response.usage),
            model,
            latency_ms: sent_at.map(|sent| response.at.micros_since(sent) / 1_000),
            stop_reason: response.stop_reason,
            tool_calls,
            thinking_blocks: response.thinking_blocks,
            raw_usage: bounded_usage(response.raw_usage.as_ref()),
            variant: CacheVariant::PLAIN,
            began_at: response.began_at.filter(|began| *began <= response.at),
        }
    }

    /// Builds the event of a call that failed, was cancelled or was interrupted.
    pub(crate) fn call_failed(&self, model: ModelId, failure: &CallFailure) -> LlmCallFailed {
        LlmCallFailed {
            turn: self.turn,
            session: self.session.clone(),
            thread: self.thread.clone(),
            class: failure.class,
            status: failure.status,
            retries: failure.retries,
            usage: failure.usage,
            cost: self.cost(&model, failure.usage),
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

    /// Builds the event of a tool result. `call` is the provider's id of the tool call, `output_bytes` the size of the
    /// result.
    pub(crate) fn tool_finished(&self, call: &str, outcome: ToolOutcome, output_bytes: u64) -> ToolFinished {
        ToolFinished {
            turn: self.turn,
            session: self.session.clone(),
            call: truncate(call, MAX_LABEL_BYTES),
            outcome,
            output_bytes,
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
    ) -> Result<Sealed, EngineError> {
        Ok(Sealed::new(id, at, self.turn.0, Arc::new(event))?.caused_by(cause))
    }

    /// Returns the cost of a call; `None` if its usage or the model's prices are unknown.
    fn cost(&self, model: &ModelId, usage: Option<Usage>) -> Option<NanoUsd> {
        Some(self.registry.get(model)?.prices?.cost(&usage?))
    }
}

/// Encodes the start of a session. A workspace path that is too long is dropped, and a client name that is too long is
/// truncated. The id is derived from the session, so the log records the event once.
///
/// # Errors
/// [`EngineError`] if the event cannot be encoded.
pub(crate) fn session_started(event: SessionStarted, at: Timestamp) -> Result<Sealed, EngineError> {
    let correlation = event.session.correlation();
    let event = SessionStarted {
        workspace: event.workspace.filter(|path| path.len() <= MAX_PATH_BYTES),
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
