//! Prepares the skills for the skill decision of a request outside of the bus thread, since that reads files.

use std::sync::Arc;

use contracts::Thread;
use engine::{OfferedSkill, PreparedSkills, TurnInput};
use wire::RequestSummary;

use crate::gateway::Gateway;

/// Returns the skills of the workspace and of the client's list. `None` if none are known, and for a request that
/// continues a turn or is an auxiliary call, which have no skill decision.
pub(crate) async fn prepare_skills(
    gateway: &Gateway,
    input: &TurnInput,
    inspected: &RequestSummary<'_>,
) -> Option<Arc<PreparedSkills>> {
    let has_none = input.workspace.is_none() && inspected.skills.is_empty();
    if has_none || input.continues || matches!(input.thread, Thread::Auxiliary(_)) {
        return None;
    }
    let listed = inspected.skills.iter();
    let offered: Vec<_> =
        listed.map(|skill| OfferedSkill { name: skill.name.clone(), description: skill.description.clone() }).collect();
    let (library, workspace) = (Arc::clone(gateway.skill_library()), input.workspace.clone());
    let prepared = tokio::task::spawn_blocking(move || library.prepare(workspace.as_deref(), &offered)).await;
    prepared.unwrap_or_else(|error| {
        tracing::error!(%error, "the skills of a request could not be read");
        None
    })
}
