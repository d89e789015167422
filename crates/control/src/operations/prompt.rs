//! The operation that decides the skills of a prompt for a client's hook.

use std::sync::Arc;

use contracts::{SessionId, events::SkillRouted};
use engine::{Engine, HookPrompt, PreparedSkills, SkillLibrary};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{error::ControlError, operation::Operation};

/// The request to decide which skills a prompt loads, before the client sends it. The decision is recorded, and the turn of
/// the prompt refers to it. A gateway responds before the events are durable.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoutePrompt {
    /// Session, as the client names it.
    session: SessionId,
    /// Absolute path of the workspace; `None` if it is unknown.
    workspace: Option<String>,
    /// The prompt.
    prompt: String,
    /// Time at which the hook was called. A request with the same session, prompt and time is recorded once.
    at: Timestamp,
    /// Skills of the workspace, once they are prepared; `None` if none are known.
    #[serde(skip)]
    prepared: Option<Arc<PreparedSkills>>,
}

impl RoutePrompt {
    /// Creates the request.
    pub const fn new(session: SessionId, workspace: Option<String>, prompt: String, at: Timestamp) -> Self {
        Self { session, workspace, prompt, at, prepared: None }
    }

    /// Reads the skills of the workspace. The thread that owns the engine of a gateway must not call it.
    pub(crate) fn prepare(&mut self, library: &SkillLibrary) {
        self.prepared = library.prepare(self.workspace.as_deref(), &[]);
    }
}

impl Operation for RoutePrompt {
    type Response = SkillRouted;

    fn execute(self, engine: &mut Engine) -> Result<SkillRouted, ControlError> {
        let Self { session, workspace, prompt, at, prepared } = self;
        Ok(engine.route_prompt(&HookPrompt { session, workspace, prompt, at }, prepared.as_ref())?)
    }
}
