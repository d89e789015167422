//! [`Writer`], which executes a command's operations in a running gateway or on the log.

use engine::Engine;

use crate::{client::Connection, error::ControlError, execute::execute, operation::Operation};

/// Executes the operations of a command that writes to the log: in the running gateway, or in this process if no
/// gateway runs.
#[derive(Debug)]
pub enum Writer {
    /// Sends operations to the gateway that has opened the log.
    Gateway(Connection),
    /// Executes operations in this process, which has opened the log.
    Log(Box<Engine>),
}

impl Writer {
    /// Executes an operation and returns its response. The events it recorded are durable when it returns.
    ///
    /// # Errors
    /// [`ControlError`] of the operation or of the connection. After the latter the operation may have been executed.
    pub fn execute<O: Operation>(&mut self, operation: O) -> Result<O::Response, ControlError> {
        let mut request = operation.into();
        let response = match self {
            Self::Gateway(connection) => connection.send(&request)?,
            Self::Log(engine) => {
                request.prepare(engine.skill_library());
                let response = execute(engine, request)?;
                engine.commit()?;
                response
            }
        };
        serde_json::from_value(response)
            .map_err(|error| ControlError::failed(format!("the response of an operation cannot be read: {error}")))
    }

    /// Closes the log if this process opened it, and saves its state so that the next command starts quickly. Does
    /// nothing to a gateway.
    ///
    /// # Errors
    /// [`ControlError`] if the log cannot be written.
    pub fn close(self) -> Result<(), ControlError> {
        match self {
            Self::Gateway(_) => Ok(()),
            Self::Log(engine) => Ok(engine.close()?),
        }
    }
}
