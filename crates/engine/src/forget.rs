//! Clears learned patterns on the user's request. The events that they were learned from stay in the log.

use contracts::events::PatternsCleared;
use event_core::{EventId, EventType as _, NewEvent};

use crate::{engine::Engine, error::EngineError};

impl Engine {
    /// Records that the patterns of a workspace are cleared, or those of all workspaces if `all` is set, and returns
    /// the event with the number of cleared rows. `workspace` is an absolute path; `None` selects turns without a
    /// workspace. Later turns are learned as before. Durable on return.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn clear_patterns(&mut self, all: bool, workspace: Option<String>) -> Result<PatternsCleared, EngineError> {
        let path = workspace.as_deref();
        self.load_workspace(path)?;
        let idle_rows = if all { self.state().patterns.idle_rows() } else { 0 };
        let stores = self.state().patterns.status();
        let rows: usize = stores.filter(|store| all || store.workspace == path).map(|store| store.rows).sum();
        let rows = u32::try_from(idle_rows + rows as u64).unwrap_or(u32::MAX);
        // A path is absolute, so the two other scopes are no paths.
        let scope = if all { "all" } else { path.unwrap_or("none") };
        let correlation = EventId::derive(&[b"patterns", scope.as_bytes()]);
        let position = self.recorder.position().0.to_le_bytes();
        let id = EventId::derive(&[PatternsCleared::KIND.as_bytes(), &correlation.0, &position]);
        let event = PatternsCleared { all, workspace, rows };
        self.recorder.record([NewEvent::new(id, self.now(), correlation, &event)?])?;
        self.commit()?;
        Ok(event)
    }
}
