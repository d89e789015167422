//! Which sessions and workspaces are in memory: loads those that left it, and sets the limits.

use contracts::SessionId;

use crate::{engine::Engine, error::EngineError};

impl Engine {
    /// Loads the state of a session into memory if it has left it, because the session was idle and more than 2,000
    /// sessions were used after it. Call it before the state of a session is read; the methods of the engine do.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    pub fn load_session(&mut self, session: &SessionId) -> Result<(), EngineError> {
        Ok(self.recorder.load_session(session)?)
    }

    /// Sets the number of sessions in memory above which idle ones leave it; 2,000 by default. The least recently used
    /// leave it with a later [`Engine::commit`], when there are an eighth more than `limit`.
    pub const fn set_max_sessions_in_memory(&mut self, limit: usize) {
        self.recorder.set_max_sessions(limit);
    }

    /// Loads the patterns of a workspace into memory if they have left it, because the workspace was idle and more than
    /// 200 were used after it; `None` is that of turns without one. Call it before the patterns of a workspace are read;
    /// the methods of the engine do, except for previews.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    pub fn load_workspace(&mut self, workspace: Option<&str>) -> Result<(), EngineError> {
        Ok(self.recorder.load_workspace(workspace)?)
    }

    /// Sets the number of workspaces whose patterns are in memory, above which idle ones leave it; 200 by default. See
    /// [`Engine::set_max_sessions_in_memory`].
    pub const fn set_max_workspaces_in_memory(&mut self, limit: usize) {
        self.recorder.set_max_workspaces(limit);
    }
}
