//! Recorded sessions, built by hand.

use std::collections::BTreeSet;

use contracts::{
    CacheVariant, SideEffect, Usage,
    events::{ErrorClass, SessionSource, StopReason, ToolOutcome, TurnStatus},
};
use event_core::{EventId, Timestamp};
use transcripts::observed::{
    ObservedCall, ObservedFailure, ObservedResult, ObservedSession, ObservedTool, ObservedTurn, Step, ThreadState,
};
use transcripts::tool_call::ToolClass;

use super::desk::session;

/// Creates a session of Claude Code, as read from its file.
pub(crate) fn recorded_session(name: &str, started_at: Timestamp) -> ObservedSession {
    ObservedSession {
        id: session(name),
        source: SessionSource::ClaudeCode,
        workspace: Some("/home/dev/shop".to_owned()),
        client: Some("claude-code 2.1.37".to_owned()),
        started_at,
        parent: None,
    }
}

/// Creates a turn of the session `of`, without any steps.
pub(crate) fn recorded_turn(of: &str, name: &str, message: &str, started_at: Timestamp) -> ObservedTurn {
    ObservedTurn {
        session: session(of),
        name: name.to_owned(),
        thread: contracts::Thread::Main,
        started_at,
        message: message.to_owned(),
        message_has_images: false,
        before: ThreadState::default(),
        steps: Vec::new(),
        end: None,
    }
}

/// Returns the turn as completed at `at`.
pub(crate) fn completed(turn: ObservedTurn, at: Timestamp) -> ObservedTurn {
    ObservedTurn { end: Some((TurnStatus::Completed, at)), ..turn }
}

/// Creates a completed call of `model`, which ended at `at`, as a step of a turn.
pub(crate) fn call(name: &str, at: Timestamp, model: &str) -> Step {
    Step::Call(ObservedCall {
        id: EventId::derive(&[name.as_bytes()]),
        message: name.to_owned(),
        request: None,
        at,
        began_at: at,
        started_at: None,
        model: model.to_owned(),
        usage: Usage { input: 2_000, output: 400, ..Usage::default() },
        raw_usage: None,
        stop_reason: StopReason::EndTurn,
        tool_calls: 0,
        thinking_blocks: 0,
        variant: CacheVariant::PLAIN,
        complete: true,
    })
}

/// Creates a failed call of `model` as a step of a turn.
pub(crate) fn failure(name: &str, at: Timestamp, model: &str, class: ErrorClass) -> Step {
    let (id, model) = (name.to_owned(), Some(model.to_owned()));
    Step::Failed(ObservedFailure { id, at, model, class, status: None, attempt: None })
}

/// Creates a tool call that edits a file, and its result, as steps of a turn.
pub(crate) fn edit(name: &str, at: Timestamp) -> [Step; 2] {
    let tool = ObservedTool {
        id: name.to_owned(),
        call: EventId::derive(&[name.as_bytes()]),
        at,
        name: "Edit".to_owned(),
        class: ToolClass {
            side_effect: SideEffect::Write,
            extensions: [".rs".to_owned()].into(),
            directories: ["src".to_owned()].into(),
            files: [7].into(),
            reverts: false,
            skill: None,
        },
    };
    let (outcome, extensions) = (ToolOutcome::Succeeded, BTreeSet::new());
    let result = ObservedResult { id: name.to_owned(), at, outcome, output_bytes: 12, extensions };
    [Step::ToolCalled(tool), Step::ToolFinished(result)]
}
