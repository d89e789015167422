//! Implements the state of a bus for the engine.

use std::sync::Arc;

use event_bus::{Appended, BusError, EventLog, Expected, LogError, State};
use event_core::NewEvent;

use crate::engine::Engine;

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

    /// Reloads the policy file if it has changed. An error is logged, since the engine keeps its last valid policy.
    fn refresh(&mut self) -> bool {
        let before = self.position();
        if let Err(error) = self.refresh_policy() {
            tracing::error!(%error, "the policy could not be refreshed");
        }
        self.position() != before
    }

    fn close(self) -> Result<(), BusError> {
        self.recorder.close()
    }
}
