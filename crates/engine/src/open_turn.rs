//! A turn that has started and not ended: its model, its calls, and the tools it waits for.

use std::collections::BTreeSet;

use contracts::{
    ModelId, Thread, TurnId,
    events::{ToolCalled, TurnStarted},
    fits_every_api,
};
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::live::ToolAnswer;

/// The most turns of a session that run at once: of more, the oldest counts as over.
const MOST_OPEN: usize = 256;
/// The most tools a turn waits for at once: the answers of more are not recorded.
const MOST_TOOLS: usize = 256;

/// A turn that has started and not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// The turn.
    pub turn: TurnId,
    /// The thread of the session that it belongs to.
    pub thread: Thread,
    /// The event that it started.
    pub started: EventId,
    /// The model that owns the whole turn; `None` before the decision, or when it was refused.
    pub model: Option<ModelId>,
    /// Calls of models answered so far.
    pub llm_calls: u32,
    /// Calls to a model that were sent.
    pub calls_sent: u32,
    /// Calls to a model that were sent and not answered yet.
    pub calls_waiting: u32,
    /// Models that failed and were left on the way.
    pub steps: u32,
    /// Calls of tools so far.
    pub tool_calls: u32,
    /// Calls of tools that were not answered yet.
    pub tools_waiting: Vec<WaitingTool>,
}

/// A call of a tool that was not answered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingTool {
    /// The event that it was called.
    pub event: EventId,
    /// Its name, as the provider gave it; some give none.
    pub call: String,
    /// The name of the tool.
    pub tool: String,
}

impl WaitingTool {
    /// Whether an answer to this name is one to this call. Where the call has none, the answer names the tool.
    pub fn is_meant_by(&self, answer: &str) -> bool {
        let name = if self.call.is_empty() { &self.tool } else { &self.call };
        name == answer
    }

    /// Whether it may be one of these calls, as a client names them. A client whose answer was converted may have been
    /// given another name than the provider's, so that nothing can be told by one that not every API takes.
    fn may_be_among(&self, calls: &BTreeSet<String>) -> bool {
        !fits_every_api(&self.call) || calls.contains(&self.call)
    }
}

impl OpenTurn {
    /// A turn begins. Those before it in its thread are over, whether or not anyone said so, unless a client of the
    /// gateway asks: it may ask several things at once, and the gateway says of each when it is over.
    pub(crate) fn begin(open: &mut Vec<Self>, event: &TurnStarted, started: EventId) {
        if event.request.is_none() {
            open.retain(|open| open.thread != event.thread);
        }
        if MOST_OPEN <= open.len() {
            open.remove(0);
        }
        if open.is_empty() {
            // Most sessions run one turn at a time.
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

    /// Whether the turn waits for one of these tool results.
    pub(crate) fn waits_for(&self, answers: &[ToolAnswer]) -> bool {
        self.tools_waiting.iter().any(|tool| answers.iter().any(|answer| tool.is_meant_by(&answer.id)))
    }

    /// Whether it is another run's than that of a request with these calls in its history: it waits for tools, and none
    /// of their calls is there.
    pub(crate) fn is_of_another_run(&self, calls: &BTreeSet<String>) -> bool {
        !self.tools_waiting.is_empty() && !self.tools_waiting.iter().any(|tool| tool.may_be_among(calls))
    }
}
