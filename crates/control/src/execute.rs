//! Executes the requests of commands on an engine.

use engine::Engine;
use serde_json::Value;

use crate::{
    error::ControlError,
    operation::{ControlRequest, Operation},
};

/// Executes a request of a command and returns its response as JSON. A gateway calls it for requests from the control
/// socket, and a command for its own requests if no gateway runs. The recorded events are durable after the next
/// [`Engine::commit`].
///
/// # Errors
/// [`ControlError`] if the request is invalid or its execution fails.
pub fn execute(engine: &mut Engine, request: ControlRequest) -> Result<Value, ControlError> {
    match request {
        ControlRequest::GiveFeedback(operation) => respond(engine, operation),
        ControlRequest::SelectModel(operation) => respond(engine, operation),
        ControlRequest::AcceptSuggestion(operation) => respond(engine, operation),
        ControlRequest::DismissSuggestion(operation) => respond(engine, operation),
        ControlRequest::CorrectSkill(operation) => respond(engine, operation),
        ControlRequest::ClearPatterns(operation) => respond(engine, operation),
        ControlRequest::RefreshPolicy(operation) => respond(engine, operation),
        ControlRequest::ImportTurns(operation) => respond(engine, operation),
        ControlRequest::LogTotals(operation) => respond(engine, operation),
        ControlRequest::RecordVerdicts(operation) => respond(engine, operation),
        ControlRequest::RecordEmbeddings(operation) => respond(engine, operation),
        ControlRequest::RetryProvider(operation) => respond(engine, operation),
        ControlRequest::ReportSession(operation) => respond(engine, operation),
        ControlRequest::ReportGateway(operation) => respond(engine, operation),
        ControlRequest::RoutePrompt(operation) => respond(engine, operation),
        ControlRequest::RecordHookDecisions(operation) => respond(engine, operation),
    }
}

/// Executes an operation and converts its response to JSON.
fn respond<O: Operation>(engine: &mut Engine, operation: O) -> Result<Value, ControlError> {
    let response = operation.execute(engine)?;
    serde_json::to_value(response).map_err(|error| ControlError::failed(error.to_string()))
}
