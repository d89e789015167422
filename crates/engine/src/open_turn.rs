//! The state of a turn that has started and not ended: its model, its calls, and the tool calls without a result.

use std::collections::BTreeSet;

use contracts::{
    ContentHash, ModelId, SkillWish, Thread, TurnId,
    events::{ToolCalled, TurnStarted},
    fits_every_api,
};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::live::ToolResult;

/// The maximum number of running turns of a session. The oldest is dropped for another one.
const MAX_OPEN_TURNS: usize = 256;
/// The maximum number of tool calls without a result in a turn. The results of further calls are not recorded.
const MAX_WAITING_TOOLS: usize = 256;

/// The state of a turn that has started and not ended: its model, its calls, and the tool calls without a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// The id of the turn.
    pub turn: TurnId,
    /// The thread of the session that it belongs to.
    pub thread: Thread,
    /// The id of the event of its start.
    pub started: EventId,
    /// Whether the log has the decision about the turn.
    pub decided: bool,
    /// The model that the turn is locked to; `None` before the decision, or if it was refused. An imported turn is locked
    /// to the model of its first call; `None` before that call.
    pub model: Option<ModelId>,
    /// The number of completed model calls.
    pub llm_calls: u32,
    /// The number of model calls that were sent.
    pub calls_sent: u32,
    /// The number of model calls that were sent and have not ended.
    pub calls_waiting: u32,
    /// The number of fallbacks to another model.
    pub steps: u32,
    /// The number of tool calls.
    pub tool_calls: u32,
    /// The tool calls without a result.
    pub tools_waiting: Vec<WaitingTool>,
    /// The skills that the skill decision about its message loads.
    pub skills: Vec<String>,
    /// The hash of the message that the skill decision read, and the time of the decision; `None` without one.
    pub routed: Option<(ContentHash, Timestamp)>,
    /// The model or tier that one of these skills asks for; `None` if none does.
    pub wish: Option<Box<SkillWish>>,
    /// The skill that its decision deferred; `None` if it deferred none.
    pub deferral: Option<Box<OpenDeferral>>,
}

/// A skill that the decision of a running turn left for later (003 Deferred Activation).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenDeferral {
    /// The id of the event of the decision.
    pub decision: EventId,
    /// The skill.
    pub skill: String,
    /// The hash of the skills that the decision read.
    pub sources: ContentHash,
    /// The number of skills that became due since.
    pub activations: u8,
}

/// A tool call of a running turn that has no result yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingTool {
    /// The id of the event of the call.
    pub event: EventId,
    /// The id that the provider gave the call; empty if it gave none.
    pub call: String,
    /// The name of the tool.
    pub tool: String,
}

impl WaitingTool {
    /// Returns whether a tool result with this id belongs to this call. For a call without an id, the id of the result
    /// is the name of the tool.
    pub fn matches_result(&self, result_id: &str) -> bool {
        let id = if self.call.is_empty() { &self.tool } else { &self.call };
        id == result_id
    }

    /// Returns whether the call may be among the calls with these ids in a client's request. If the provider's id is
    /// not valid in every API, a converted response may have given the client another id; the call then counts as
    /// present.
    fn may_be_among(&self, calls: &BTreeSet<String>) -> bool {
        !fits_every_api(&self.call) || calls.contains(&self.call)
    }
}

impl OpenTurn {
    /// Adds a turn that starts with `event`, whose id is `started`, to the open turns of a session. If the session has
    /// [`MAX_OPEN_TURNS`], its oldest one is dropped.
    ///
    /// A turn from a session file ends the earlier turns of its thread. A turn of the gateway does not, since its
    /// client may run several at once, and the gateway records the end of each.
    pub(crate) fn start(open: &mut Vec<Self>, event: &TurnStarted, started: EventId) {
        if event.gateway_request().is_none() {
            open.retain(|open| open.thread != event.thread);
        }
        if MAX_OPEN_TURNS <= open.len() {
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
            decided: false,
            model: None,
            llm_calls: 0,
            calls_sent: 0,
            calls_waiting: 0,
            steps: 0,
            tool_calls: 0,
            tools_waiting: Vec::new(),
            skills: Vec::new(),
            routed: None,
            wish: None,
            deferral: None,
        });
    }

    /// Records a tool call of the turn. `event` is the id of its event.
    pub(crate) fn apply_tool_called(&mut self, event: EventId, called: &ToolCalled) {
        self.tool_calls = self.tool_calls.saturating_add(1);
        if self.tools_waiting.len() < MAX_WAITING_TOOLS {
            self.tools_waiting.push(WaitingTool { event, call: called.call.clone(), tool: called.name.clone() });
        }
    }

    /// Returns whether one of these tool results is for a tool call of the turn.
    pub(crate) fn waits_for(&self, results: &[ToolResult]) -> bool {
        self.tools_waiting.iter().any(|tool| results.iter().any(|result| tool.matches_result(&result.id)))
    }

    /// Returns whether the turn belongs to another run of the client than a request whose history has the tool calls
    /// `calls`. That is so if the turn has tool calls without a result, and none of them is in the history.
    pub(crate) fn is_of_another_run(&self, calls: &BTreeSet<String>) -> bool {
        !self.tools_waiting.is_empty() && !self.tools_waiting.iter().any(|tool| tool.may_be_among(calls))
    }
}
