//! Executes the commands that arrive over the control socket.

use std::sync::Arc;

use control::{Commands, ControlError, ControlRequest};
use event_bus::BusError;
use serde_json::Value;

use crate::{gateway::Gateway, matching::prepare_message};

/// Executes the requests of the control socket as commands of the bus, and responds once their events are durable. The
/// request to read the policy again also reads the keys of the providers again.
#[derive(Clone)]
pub(crate) struct EngineCommands(pub(crate) Arc<Gateway>);

impl EngineCommands {
    /// Reads the files that a request needs, on a thread that may block.
    async fn prepare(&self, mut request: ControlRequest) -> Result<ControlRequest, ControlError> {
        if !request.reads_files() {
            return Ok(request);
        }
        let library = Arc::clone(self.0.skill_library());
        let prepared = tokio::task::spawn_blocking(move || {
            request.prepare(&library);
            request
        });
        prepared.await.map_err(|error| ControlError::failed(error.to_string()))
    }
}

impl Commands for EngineCommands {
    async fn execute(&self, request: ControlRequest) -> Result<Value, ControlError> {
        if matches!(request, ControlRequest::RefreshPolicy(_)) {
            self.0.reload_providers().await?;
        }
        let failed = |error: BusError| ControlError::failed(control::with_causes(&error));
        if let ControlRequest::ImportTurns(import) = &request {
            for turn in import.parts().iter().flat_map(|part| &part.turns) {
                prepare_message(&self.0, &turn.message).await.map_err(failed)?;
            }
        }
        // A client's hook waits for the decision, and nothing is lost for the user if it is not durable.
        let waits = !matches!(request, ControlRequest::RoutePrompt(_));
        let request = self.prepare(request).await?;
        let (response, durable) =
            self.0.bus().command(move |engine| control::execute(engine, request)).await.map_err(failed)?;
        if waits {
            durable.wait().await.map_err(failed)?;
        }
        response
    }
}
