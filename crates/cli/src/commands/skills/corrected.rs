//! `skills corrected`: records which skill a decision should have loaded.

use control::CorrectSkill;
use event_core::EventId;
use skills::{RoutedRequest, SkillHistory};

use super::recorded::RecordedDecisions;
use crate::{context::Context, failure::Failure, screen::outln};

/// Records the correction, in the running gateway if there is one. `skill` is `none` if no skill should have been loaded.
///
/// # Errors
/// [`Failure::Invalid`] if the log has no such decision or several, or the name cannot be one of a skill.
pub(super) fn run(context: &Context, decision: &str, skill: &str) -> Result<(), Failure> {
    let decisions = RecordedDecisions::read(context, None)?;
    let decision = resolve(&decisions.history, decision)?;
    let skill = match skill.trim_start_matches('/') {
        "none" => None,
        name => Some(name.to_owned()),
    };
    let mut writer = context.writer()?;
    let corrected = writer.execute(CorrectSkill { decision, skill })?;
    writer.close()?;
    context.print(&corrected, || {
        let loaded = decisions.history.requests().find(|request| request.record().event == decision);
        let before = loaded.map(|request| request.record().outcome.to_string()).unwrap_or_default();
        let after = corrected.skill.as_deref().unwrap_or("no skill");
        outln!("Corrected: {after}, where {before} was decided.");
    })
}

/// Returns the decision that an argument names: `last`, the id of a turn or of a decision, or the start of one.
fn resolve(history: &SkillHistory, named: &str) -> Result<EventId, Failure> {
    let mut ids = history.requests().rev().map(RoutedRequest::record).filter(|record| {
        let turn = record.turn.map(|turn| turn.to_string());
        named == "last" || [turn, Some(record.event.to_string())].into_iter().flatten().any(|id| id.starts_with(named))
    });
    let Some(found) = ids.next() else {
        return Err(Failure::Invalid(format!(
            "no skill decision about a turn `{named}` is in the log; `turnwise skills log` lists the latest"
        )));
    };
    if named != "last" && ids.next().is_some() {
        return Err(Failure::Invalid(format!("`{named}` is the start of several ids: write more of it")));
    }
    Ok(found.event)
}
