//! The writer of a command: a running gateway, or the log itself.

use engine::Engine;

use crate::{client::Connection, error::ControlError, execute::execute, operation::Operation};

/// Where a command's operations are executed.
#[derive(Debug)]
pub enum Writer {
    /// In the gateway that has the log.
    Gateway(Connection),
    /// In this process, which has opened the log.
    Log(Box<Engine>),
}

impl Writer {
    /// Executes an operation; the events it recorded are durable when this returns.
    ///
    /// # Errors
    /// [`ControlError`] of the operation or of the connection.
    pub fn execute<O: Operation>(&mut self, operation: O) -> Result<O::Response, ControlError> {
        let request = operation.into();
        let response = match self {
            Self::Gateway(connection) => connection.send(&request)?,
            Self::Log(engine) => {
                let response = execute(engine, request)?;
                engine.commit()?;
                response
            }
        };
        serde_json::from_value(response)
            .map_err(|error| ControlError::failed(format!("the response of an operation cannot be read: {error}")))
    }

    /// Closes the log if this process opened it, and saves its state so that the next command starts quickly.
    ///
    /// # Errors
    /// [`ControlError`] when the log cannot be written.
    pub fn close(self) -> Result<(), ControlError> {
        match self {
            Self::Gateway(_) => Ok(()),
            Self::Log(engine) => Ok(engine.close()?),
        }
    }
}
