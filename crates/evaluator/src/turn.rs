//! A turn as the evaluator remembers it.

use contracts::{
    ModelId, SessionId, ThreadId,
    events::{
        CallRole, ErrorClass, LlmCallCompleted, SignalKind, StopReason, ToolCalled, ToolFinished, ToolOutcome,
        TurnStatus,
    },
};
use event_core::{EventId, Position, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{given::Given, work::Work};

/// The most tools of a turn that are followed from their call to their end; later ones touch no files.
const MOST_RUNNING: usize = 64;
/// The most often that the work of a turn is followed from one model to the next.
const MOST_WORKS: usize = 8;

/// The events that matter about one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JudgedTurn {
    pub(crate) session: SessionId,
    pub(crate) thread: Option<ThreadId>,
    pub(crate) ended: bool,
    /// One for each model that the user gave it to, never empty.
    works: Vec<Work>,
    running: Vec<RunningTool>,
    /// What the log says of it.
    pub(crate) given: Given,
    /// Where in the log, and when, something that counts was last added.
    pub(crate) changed: Change,
}

/// The event that last changed what is known of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) position: Position,
    pub(crate) at: Timestamp,
    pub(crate) event: EventId,
}

/// A tool that touches files and is not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunningTool {
    call: String,
    /// The event that it was called.
    pub(crate) event: EventId,
    pub(crate) files: Vec<u32>,
    pub(crate) reverts: bool,
}

impl JudgedTurn {
    pub(crate) fn new(session: SessionId, thread: Option<ThreadId>, changed: Change) -> Self {
        Self {
            session,
            thread,
            ended: false,
            works: vec![Work::default()],
            running: Vec::new(),
            given: Given::default(),
            changed,
        }
    }

    /// The works that can be judged, with whose they are: of each model the last.
    pub(crate) fn judgeable(&self) -> impl Iterator<Item = (&ModelId, &Work)> {
        let later = |place: usize, model| self.works.iter().skip(place + 1).any(|work| work.model() == Some(model));
        let works = self.works.iter().enumerate();
        works.filter_map(move |(place, work)| Some((work.model().filter(|model| !later(place, model))?, work)))
    }

    /// The work that what is noticed now is about: that of the model at work, or after the end of the last one that
    /// answered.
    fn current_place(&self) -> usize {
        let answered = self.works.iter().rposition(Work::answered);
        answered.filter(|_| self.ended).unwrap_or(self.works.len().saturating_sub(1))
    }

    pub(crate) fn current(&self) -> Option<&Work> {
        self.works.get(self.current_place())
    }

    pub(crate) fn current_mut(&mut self) -> Option<&mut Work> {
        let place = self.current_place();
        self.works.get_mut(place)
    }

    /// Notes a signal about the current work.
    pub(crate) fn notice(&mut self, kind: SignalKind, event: EventId) {
        if let Some(work) = self.current_mut() {
            work.signals.add(kind, event);
        }
    }

    /// Counts a call of the turn's own line of work, as the pattern store does: calls of workers belong to the workers'
    /// turns, and calls on the side say nothing about who took the turn.
    pub(crate) fn called(&mut self, call: &LlmCallCompleted, event: EventId) {
        if call.role == CallRole::Side || call.thread != self.thread {
            return;
        }
        if let Some(work) = self.current_mut() {
            work.called(&call.model);
        }
        match call.stop_reason {
            StopReason::MaxTokens => self.notice(SignalKind::CutShort, event),
            StopReason::Refusal => self.notice(SignalKind::Withheld, event),
            StopReason::EndTurn | StopReason::ToolUse | StopReason::StopSequence | StopReason::Unknown => {}
        }
    }

    pub(crate) fn call_failed(&mut self, class: ErrorClass, event: EventId) {
        match class {
            // The end of the turn tells whether the user stopped it.
            ErrorClass::Cancelled => {}
            ErrorClass::ContentFilter => self.notice(SignalKind::Withheld, event),
            _ => self.notice(SignalKind::CallFailed, event),
        }
    }

    pub(crate) fn tool_called(&mut self, tool: &ToolCalled, event: EventId) {
        let touches_files = tool.reverts || !tool.files.is_empty();
        if touches_files && self.running.len() < MOST_RUNNING {
            let (call, files) = (tool.call.clone(), tool.files.clone());
            self.running.push(RunningTool { call, event, files, reverts: tool.reverts });
        }
    }

    /// Notes how a tool fared, and gives back what it did to files if it did its work.
    pub(crate) fn tool_finished(&mut self, tool: &ToolFinished, event: EventId) -> Option<RunningTool> {
        let kind = match tool.outcome {
            ToolOutcome::Succeeded => SignalKind::ToolSucceeded,
            ToolOutcome::Failed => SignalKind::ToolFailed,
            ToolOutcome::Interrupted => SignalKind::ToolDeclined,
        };
        self.notice(kind, event);
        let place = self.running.iter().position(|running| running.call == tool.call)?;
        let running = self.running.swap_remove(place);
        (tool.outcome == ToolOutcome::Succeeded).then_some(running)
    }

    pub(crate) fn over(&mut self, status: TurnStatus, event: EventId) {
        match status {
            TurnStatus::Completed => self.notice(SignalKind::Completed, event),
            TurnStatus::Cancelled => self.notice(SignalKind::Cancelled, event),
            TurnStatus::Failed => self.notice(SignalKind::GaveUp, event),
            // Nobody was asked.
            TurnStatus::Refused => {}
        }
        self.running = Vec::new();
        self.ended = true;
    }

    /// The user gave the turn to another model.
    pub(crate) fn redirected(&mut self, model: ModelId, event: EventId) {
        let has_room = self.works.len() < MOST_WORKS;
        let Some(work) = self.works.last_mut() else { return };
        if !work.answered() {
            work.choose(model, event);
        } else if has_room {
            work.signals.add(SignalKind::Reassigned, event);
            self.works.push(Work::chosen_by_user(model, event));
        }
    }

    /// The user kept the model that has the turn.
    pub(crate) fn kept(&mut self, model: ModelId, event: EventId) {
        if let Some(work) = self.current_mut() {
            work.choose(model, event);
        }
    }
}
