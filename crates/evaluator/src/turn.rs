//! The state of one turn in the evaluator: the work of each model and its signals.

use contracts::{
    CallRole, ModelId, SessionId, Thread,
    events::{ErrorClass, LlmCallCompleted, SignalKind, StopReason, ToolCalled, ToolFinished, ToolOutcome, TurnStatus},
};
use event_core::{EventId, Position, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{verdict_history::VerdictHistory, work::EvaluatedWork};

/// The greatest number of running tools whose files are recorded; those of further tools are ignored.
const MAX_RUNNING_TOOLS: usize = 64;
/// The greatest number of works of a turn; further reassignments are ignored.
const MAX_WORKS: usize = 8;

/// A turn with the signals about each model's work, and the verdicts on it that the log has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EvaluatedTurn {
    /// The session of the turn.
    pub(crate) session: SessionId,
    /// The thread of the turn; calls of other threads belong to other turns.
    pub(crate) thread: Thread,
    /// Whether the turn has ended; only then does it have verdicts.
    pub(crate) has_ended: bool,
    /// The work of the first model, then one more for each reassignment by the user; at most [`MAX_WORKS`].
    works: Vec<EvaluatedWork>,
    /// The tools that write or revert files and have not finished, at most [`MAX_RUNNING_TOOLS`].
    running_tools: Vec<RunningTool>,
    /// The verdicts on the turn in the log.
    pub(crate) verdicts: VerdictHistory,
    /// The event that last changed the signals.
    pub(crate) last_change: SignalChange,
}

/// The event that last changed the signals about a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SignalChange {
    /// The position of the event in the log.
    pub(crate) position: Position,
    /// The time of the event.
    pub(crate) at: Timestamp,
    /// The id of the event.
    pub(crate) event: EventId,
}

/// A tool call that writes or reverts files and has not finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunningTool {
    /// The id of the tool call, as the model assigned it.
    call: String,
    /// The id of the event that recorded the tool call.
    pub(crate) event: EventId,
    /// Hashes of the paths of the files that the tool writes or reverts.
    pub(crate) files: Vec<u32>,
    /// Whether the tool reverts files instead of writing them.
    pub(crate) is_revert: bool,
}

impl EvaluatedTurn {
    /// Creates the state of a turn that has started; `change` is its `turn.started` event.
    pub(crate) fn new(session: SessionId, thread: Thread, change: SignalChange) -> Self {
        Self {
            session,
            thread,
            has_ended: false,
            works: vec![EvaluatedWork::default()],
            running_tools: Vec::new(),
            verdicts: VerdictHistory::default(),
            last_change: change,
        }
    }

    /// Returns one work for each model that answered a call: the last one if the model has several. In the order of the
    /// turn.
    pub(crate) fn works_by_model(&self) -> impl Iterator<Item = (&ModelId, &EvaluatedWork)> {
        let has_later = |index: usize, model| self.works.iter().skip(index + 1).any(|work| work.model() == Some(model));
        let works = self.works.iter().enumerate();
        works.filter_map(move |(index, work)| Some((work.model().filter(|model| !has_later(index, model))?, work)))
    }

    /// Returns the index of the work to which new signals are added: the last one, or, after the end of the turn, the
    /// last one in which a call was answered.
    fn current_work_index(&self) -> usize {
        let answered = self.works.iter().rposition(EvaluatedWork::is_answered);
        answered.filter(|_| self.has_ended).unwrap_or(self.works.len().saturating_sub(1))
    }

    /// Returns the work to which new signals are added; see `current_work_index`. `None` if the turn has no work.
    pub(crate) fn current_work(&self) -> Option<&EvaluatedWork> {
        self.works.get(self.current_work_index())
    }

    /// Returns the work to which new signals are added, for modification. `None` if the turn has no work.
    pub(crate) fn current_work_mut(&mut self) -> Option<&mut EvaluatedWork> {
        let index = self.current_work_index();
        self.works.get_mut(index)
    }

    /// Adds a signal, with the event that is its evidence, to the work of the current model.
    pub(crate) fn add_signal(&mut self, kind: SignalKind, event: EventId) {
        if let Some(work) = self.current_work_mut() {
            work.signals.add(kind, event);
        }
    }

    /// Counts an answered call, and adds the signal of its stop reason if it was cut short or refused. Ignores the
    /// calls of sub-agents, which belong to their own turns, and auxiliary calls, which are not part of the work.
    pub(crate) fn add_call(&mut self, call: &LlmCallCompleted, event: EventId) {
        if call.thread.role() == CallRole::Auxiliary || call.thread != self.thread {
            return;
        }
        if let Some(work) = self.current_work_mut() {
            work.add_call(&call.model);
        }
        match call.stop_reason {
            StopReason::MaxTokens => self.add_signal(SignalKind::CutShort, event),
            StopReason::Refusal => self.add_signal(SignalKind::Withheld, event),
            StopReason::EndTurn | StopReason::ToolUse | StopReason::StopSequence | StopReason::Unknown => {}
        }
    }

    /// Adds the signal of a failed model call: a refusal by a content filter, or a failure. A cancelled call adds no
    /// signal.
    pub(crate) fn add_failed_call(&mut self, class: ErrorClass, event: EventId) {
        match class {
            // The status of the turn shows whether the user cancelled it.
            ErrorClass::Cancelled => {}
            ErrorClass::ContentFilter => self.add_signal(SignalKind::Withheld, event),
            _ => self.add_signal(SignalKind::CallFailed, event),
        }
    }

    /// Records the files that a tool call writes or reverts, until the tool finishes. Ignores tools without files, and
    /// tools beyond [`MAX_RUNNING_TOOLS`].
    pub(crate) fn start_tool(&mut self, tool: &ToolCalled, event: EventId) {
        let touches_files = tool.reverts || !tool.files.is_empty();
        if touches_files && self.running_tools.len() < MAX_RUNNING_TOOLS {
            let (call, files) = (tool.call.clone(), tool.files.clone());
            self.running_tools.push(RunningTool { call, event, files, is_revert: tool.reverts });
        }
    }

    /// Adds the signal of a finished tool. Returns the recorded tool call with its files if it succeeded; `None` if it
    /// failed or wrote and reverted no files.
    pub(crate) fn finish_tool(&mut self, tool: &ToolFinished, event: EventId) -> Option<RunningTool> {
        let kind = match tool.outcome {
            ToolOutcome::Succeeded => SignalKind::ToolSucceeded,
            ToolOutcome::Failed => SignalKind::ToolFailed,
            ToolOutcome::Interrupted => SignalKind::ToolDeclined,
        };
        self.add_signal(kind, event);
        let index = self.running_tools.iter().position(|running| running.call == tool.call)?;
        let finished_tool = self.running_tools.swap_remove(index);
        (tool.outcome == ToolOutcome::Succeeded).then_some(finished_tool)
    }

    /// Marks the turn as ended, adds the signal of its status (none for a refused turn), and discards its running
    /// tools.
    pub(crate) fn end(&mut self, status: TurnStatus, event: EventId) {
        match status {
            TurnStatus::Completed => self.add_signal(SignalKind::Completed, event),
            TurnStatus::Cancelled => self.add_signal(SignalKind::Cancelled, event),
            TurnStatus::Failed => self.add_signal(SignalKind::GaveUp, event),
            // No model was called.
            TurnStatus::Refused => {}
        }
        self.running_tools = Vec::new();
        self.has_ended = true;
    }

    /// Starts a new work for the model to which the user reassigned the turn; `event` is the evidence. If no call of
    /// the current work has been answered yet, that work is reassigned itself. Ignored beyond [`MAX_WORKS`].
    pub(crate) fn reassign(&mut self, model: ModelId, event: EventId) {
        let has_capacity = self.works.len() < MAX_WORKS;
        let Some(work) = self.works.last_mut() else { return };
        if !work.is_answered() {
            work.record_choice(model, event);
        } else if has_capacity {
            work.signals.add(SignalKind::Reassigned, event);
            self.works.push(EvaluatedWork::chosen_by_user(model, event));
        }
    }

    /// Records that the user dismissed a recommendation and kept `model`, as a signal for that model. `event` is the
    /// evidence.
    pub(crate) fn dismiss_recommendation(&mut self, model: ModelId, event: EventId) {
        if let Some(work) = self.current_work_mut() {
            work.record_choice(model, event);
        }
    }
}
