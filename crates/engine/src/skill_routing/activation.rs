//! Records that a deferred skill is due, because a tool call of its turn failed in the domain of a skill (003 Deferred
//! Activation).

use contracts::{
    SessionId, TurnId,
    events::{SkillActivated, ToolFinished},
};
use event_core::{EventId, EventType as _};
use skills::{Deferral, FailureResponse, SkillSources};

use crate::{engine::Engine, error::EngineError, recorder::turn_event};

/// The maximum length of the output of a failed tool that is searched, in bytes.
pub const MAX_FAILURE_BYTES: usize = 16 * 1024;

/// A tool call of a turn that failed.
pub(crate) struct FailedTool {
    /// The id of its event `tool.called`.
    pub(crate) called: EventId,
    /// The provider's id of the call.
    pub(crate) call: String,
    /// The start of its output.
    pub(crate) output: String,
}

impl Engine {
    /// Records that a skill is due if a tool call failed in its domain, in a turn whose decision deferred a skill. Each turn has
    /// at most as many as `skills.retry` allows; one by default.
    pub(crate) fn activate_deferred_skill(
        &mut self,
        session: &SessionId,
        turn: TurnId,
        failed: &FailedTool,
    ) -> Result<(), EngineError> {
        let open = self.state().sessions.get(session).and_then(|session| session.open_turn(turn));
        let Some(deferral) = open.and_then(|open| open.deferral.as_deref()).cloned() else { return Ok(()) };
        if !self.skill_routing.failures.is_in_domain(&failed.output) {
            return Ok(());
        }
        let Some(text) = self.texts.get(deferral.sources.0)? else { return Ok(()) };
        let Ok(sources) = serde_json::from_str::<SkillSources>(&text) else { return Ok(()) };
        let state = Deferral { deferred: Some(deferral.skill), activations: deferral.activations };
        let response = self.skill_routing.failures.respond(&failed.output, &state, &sources.index);
        let FailureResponse::Activate { skill, .. } = response else { return Ok(()) };
        let event = SkillActivated {
            decision: deferral.decision,
            turn,
            session: session.clone(),
            skill,
            call: failed.call.clone(),
        };
        let cause = failed.called.then(ToolFinished::KIND, 0);
        let sealed = turn_event(turn, u64::from(deferral.activations), self.now(), event)?.caused_by(cause);
        self.recorder.record([sealed])
    }
}
