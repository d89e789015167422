//! Implements [`State`], the state that a bus owns, for the engine.

use std::sync::Arc;

use event_bus::{Appended, BusError, EventLog, Expected, LogError, State};
use event_core::NewEvent;

use crate::{engine::Engine, error::EngineError};

impl State for Engine {
    fn log(&self) -> &Arc<dyn EventLog> {
        self.recorder.log()
    }

    fn append(&mut self, expected: Expected, batch: &[NewEvent]) -> Result<Appended, BusError> {
        self.recorder.append(expected, batch.to_vec(), vec![None; batch.len()])
    }

    fn commit(&mut self) -> Result<(), LogError> {
        self.recorder.commit()
    }

    /// Reloads the policy file if it has changed. An error is only logged, since the last valid policy stays active.
    fn refresh(&mut self) -> bool {
        let before = self.position();
        if let Err(error) = self.refresh_policy() {
            tracing::error!(%error, "the policy could not be refreshed");
        }
        self.position() != before
    }

    /// Folds the state from the log again, since the command may have changed a part of it.
    fn recover(&mut self, cause: &str) -> Result<(), BusError> {
        self.recover_state(cause).map_err(|error| match error {
            EngineError::Bus(error) => error,
            EngineError::Log(error) => error.into(),
            error => {
                LogError::Stopped { path: "the state of the engine".into(), cause: error.to_string().into() }.into()
            }
        })
    }

    fn close(self) -> Result<(), BusError> {
        self.recorder.close()
    }
}
