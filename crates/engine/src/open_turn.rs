//! A turn that has started and not ended: its model, its calls, and the tool results that it waits for.

use std::collections::BTreeSet;

use contracts::{
    ModelId, Thread, TurnId,
    events::{ToolCalled, TurnStarted},
    fits_every_api,
};
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::live::ToolAnswer;

/// Maximum number of open turns per session. When one more starts, the oldest is dropped.
const MOST_OPEN: usize = 256;
/// Maximum number of tool calls a turn waits for at once. Results of further calls are not recorded.
const MOST_TOOLS: usize = 256;

/// A turn that has started and not ended. Held by its session in the engine's state, and folded from the turn's events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// Id of the turn.
    pub turn: TurnId,
    /// Thread of the session in which the turn runs.
    pub thread: Thread,
    /// Id of the turn's `turn.started` event.
    pub started: EventId,
    /// Model that answers the whole turn; `None` before the decision, or if no model could be chosen.
    pub model: Option<ModelId>,
    /// Number of completed LLM calls.
    pub llm_calls: u32,
    /// Number of LLM calls sent.
    pub calls_sent: u32,
    /// Number of LLM calls sent and neither completed nor failed yet.
    pub calls_waiting: u32,
    /// Number of fallbacks: how often a failed model was replaced by the next one.
    pub steps: u32,
    /// Number of tool calls.
    pub tool_calls: u32,
    /// Tool calls without a result yet, oldest first; at most 256.
    pub tools_waiting: Vec<WaitingTool>,
}

/// A tool call without a result yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingTool {
    /// Id of the `tool.called` event.
    pub event: EventId,
    /// Id of the call as the provider wrote it; empty if the provider sent none.
    pub call: String,
    /// Name of the tool.
    pub tool: String,
}

impl WaitingTool {
    /// Returns whether a tool result with the id `answer` belongs to this call. If the call has no id, `answer` must be
    /// the tool's name.
    pub fn is_meant_by(&self, answer: &str) -> bool {
        let name = if self.call.is_empty() { &self.tool } else { &self.call };
        name == answer
    }

    /// Returns whether `calls`, the ids in a client's history, may contain this call.
    ///
    /// Always `true` for an id that some API does not accept: the client of a converted answer may have received
    /// another id, so its absence proves nothing.
    fn may_be_among(&self, calls: &BTreeSet<String>) -> bool {
        !fits_every_api(&self.call) || calls.contains(&self.call)
    }
}

impl OpenTurn {
    /// Adds the turn that `event` starts to the session's open turns.
    ///
    /// Outside the gateway, a new turn ends the earlier ones of its thread, because nothing else may report their end.
    /// A client of the gateway may run several turns in one thread, and the gateway records the end of each.
    pub(crate) fn begin(open: &mut Vec<Self>, event: &TurnStarted, started: EventId) {
        if event.request.is_none() {
            open.retain(|open| open.thread != event.thread);
        }
        if MOST_OPEN <= open.len() {
            open.remove(0);
        }
        if open.is_empty() {
            // Most sessions run one turn at a time, so room is made for one only.
            open.reserve_exact(1);
        }
        open.push(Self {
            turn: event.turn,
            thread: event.thread.clone(),
            started,
            model: None,
            llm_calls: 0,
            calls_sent: 0,
            calls_waiting: 0,
            steps: 0,
            tool_calls: 0,
            tools_waiting: Vec::new(),
        });
    }

    pub(crate) fn tool_called(&mut self, event: EventId, called: &ToolCalled) {
        self.tool_calls = self.tool_calls.saturating_add(1);
        if self.tools_waiting.len() < MOST_TOOLS {
            self.tools_waiting.push(WaitingTool { event, call: called.call.clone(), tool: called.name.clone() });
        }
    }

    /// Returns whether one of these tool results belongs to a call that this turn waits for.
    pub(crate) fn waits_for(&self, answers: &[ToolAnswer]) -> bool {
        self.tools_waiting.iter().any(|tool| answers.iter().any(|answer| tool.is_meant_by(&answer.id)))
    }

    /// Returns whether a request with these tool call ids in its history cannot continue this turn: the turn waits for
    /// tools, and none of their calls is in the history.
    pub(crate) fn is_of_another_run(&self, calls: &BTreeSet<String>) -> bool {
        !self.tools_waiting.is_empty() && !self.tools_waiting.iter().any(|tool| tool.may_be_among(calls))
    }
}
