//! Executes the commands that arrive over the control socket.

use control::{Commands, ControlError, ControlRequest};
use engine::Engine;
use event_bus::{Bus, BusError};
use serde_json::Value;

/// Executes requests of the control socket as commands of the bus, and responds once their events are durable.
#[derive(Clone)]
pub(crate) struct EngineCommands(pub(crate) Bus<Engine>);

impl Commands for EngineCommands {
    async fn execute(&self, request: ControlRequest) -> Result<Value, ControlError> {
        let failed = |error: BusError| ControlError::failed(control::with_causes(&error));
        let (response, durable) =
            self.0.command(move |engine| control::execute(engine, request)).await.map_err(failed)?;
        durable.wait().await.map_err(failed)?;
        response
    }
}
