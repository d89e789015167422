//! [`SkillReports`], what the page shows about skills: the latest decisions of the log, and the skills of workspaces.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use contracts::ContentHash;
use engine::Engine;
use event_bus::{Bus, BusError, View};
use serde_json::Value;
use skills::SkillHistory;
use tokio::sync::OnceCell;

/// The maximum number of reports about workspaces in memory. If there are more, all are removed.
const MAX_WORKSPACES: usize = 16;

/// The reports about workspaces by path, each with the hash of what it was computed from.
type WorkspaceReports = BTreeMap<Option<String>, (ContentHash, Arc<Value>)>;

/// The skill decisions of the log, followed once the page shows them, and the latest reports about the skills of workspaces.
#[derive(Debug, Default)]
pub(crate) struct SkillReports {
    /// The latest decisions; empty until the page asks for them.
    history: OnceCell<View<SkillHistory>>,
    /// The latest report about each workspace.
    workspaces: Mutex<WorkspaceReports>,
}

impl SkillReports {
    /// Returns the latest decisions up to the head of the log. The first call reads the log from the last checkpoint on.
    ///
    /// # Errors
    /// [`BusError`] if the log cannot be read.
    pub(crate) async fn history(&self, bus: &Bus<Engine>) -> Result<View<SkillHistory>, BusError> {
        let view = self.history.get_or_try_init(|| bus.project()).await?;
        view.wait_for(bus.head()).await?;
        Ok(view.clone())
    }

    /// Returns the number of changes of the decisions up to the head of the log; `None` if they are not followed so far.
    ///
    /// # Errors
    /// [`BusError`] if the log cannot be read.
    pub(crate) async fn changes(&self, bus: &Bus<Engine>) -> Result<Option<u64>, BusError> {
        let Some(view) = self.history.get() else { return Ok(None) };
        view.wait_for(bus.head()).await?;
        Ok(Some(view.read(|history, _| history.changes())))
    }

    /// Returns the report about the skills of a workspace, of which `hash` identifies everything that `compute` reads. It is
    /// computed only if the last one of the workspace has another hash.
    pub(crate) fn workspace(
        &self,
        workspace: Option<String>,
        hash: ContentHash,
        compute: impl FnOnce() -> Value,
    ) -> Arc<Value> {
        let known = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner).get(&workspace).cloned();
        if let Some((_, report)) = known.filter(|(known, _)| *known == hash) {
            return report;
        }
        let report = Arc::new(compute());
        let mut reports = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        if MAX_WORKSPACES <= reports.len() {
            reports.clear();
        }
        reports.insert(workspace, (hash, Arc::clone(&report)));
        report
    }
}
