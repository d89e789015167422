//! `patterns clear`: removes the learned patterns of a workspace.

use control::ClearPatterns;
use serde_json::json;

use super::workspace_path;
use crate::{
    arguments::WorkspaceArgument,
    context::Context,
    failure::Failure,
    screen::{count_noun, outln},
};

/// Clears the learned patterns of a workspace, or of every workspace with `all`. The events stay in the log. Without
/// `yes`, prints the number of learned outcomes and changes nothing.
pub(super) fn run(context: &Context, workspace: &WorkspaceArgument, all: bool, yes: bool) -> Result<(), Failure> {
    let path = if all { None } else { workspace_path(workspace) };
    let place = path.clone().unwrap_or_else(|| "every workspace".to_owned());
    let state = context.fold_state()?;
    let stores = state.patterns.status();
    let rows: usize = stores.filter(|store| all || store.workspace == path.as_deref()).map(|store| store.rows).sum();
    if rows == 0 {
        return context.print(&json!({ "cleared": 0 }), || outln!("Nothing was learned in {place}."));
    }
    let outcomes = count_noun(rows as u64, "outcome");
    if !yes {
        return context.print(&json!({ "cleared": 0, "would_clear": rows }), || {
            outln!("{outcomes} of {place} would be forgotten; the events they came from stay in the log.");
            outln!("Nothing was done. Add --yes to do it.");
        });
    }
    let mut writer = context.writer()?;
    let event = writer.execute(ClearPatterns { all, workspace: path })?;
    writer.close()?;
    context.print(&event, || outln!("Forgot {outcomes} of {place}. Turns from now on are learned as before."))
}
