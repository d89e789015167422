//! Encoding of requests and responses: one line of JSON each, with the version of the protocol.
//!
//! The response to `{"version": 1, "request": {"operation": …, "arguments": …}}` is `{"version": 1, "response": …}` or
//! `{"version": 1, "error": {"kind": …, "message": …}}`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{error::ControlError, operation::ControlRequest};

/// Version of the protocol. Gateway and command must have the same; it increases with each change of a request or
/// response.
pub const VERSION: u32 = 1;
/// Maximum length of a frame in bytes, including its line feed: twice that of a line in a session file.
pub const MAX_FRAME_BYTES: usize = 128 * 1024 * 1024;

/// Layout of a request over the control socket, as a command encodes it.
#[derive(Serialize)]
struct OutgoingRequest<'a> {
    /// Version of the protocol.
    version: u32,
    /// The request.
    request: &'a ControlRequest,
}

/// Layout of a request over the control socket, as the gateway decodes it.
#[derive(Deserialize)]
struct IncomingRequest<'a> {
    /// Version of the protocol that the client uses.
    version: u32,
    /// The request as JSON, parsed only if the version matches.
    #[serde(borrow)]
    request: &'a RawValue,
}

/// Layout of a response over the control socket: the result of the operation, or its error.
#[derive(Default, Serialize, Deserialize)]
struct ResponseFrame {
    /// Version of the protocol.
    version: u32,
    /// Error of the operation; `None` if it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<ControlError>,
    /// Result of the operation; null after an error.
    #[serde(default)]
    response: Value,
}

/// Encodes a request over the control socket as a line of JSON with its line feed.
///
/// # Errors
/// [`ControlError`] if it is longer than [`MAX_FRAME_BYTES`].
pub fn encode_request(request: &ControlRequest) -> Result<Vec<u8>, ControlError> {
    let frame = OutgoingRequest { version: VERSION, request };
    let mut line = serde_json::to_vec(&frame).map_err(|error| ControlError::failed(error.to_string()))?;
    if MAX_FRAME_BYTES <= line.len() {
        return Err(too_long());
    }
    line.push(b'\n');
    Ok(line)
}

/// Decodes a request over the control socket from its line of JSON.
///
/// # Errors
/// [`ControlError`] if the line is not a request of the protocol or has another version.
pub fn decode_request(line: &[u8]) -> Result<ControlRequest, ControlError> {
    let invalid = |error| ControlError::failed(format!("this is not a request of the control protocol: {error}"));
    let frame: IncomingRequest<'_> = serde_json::from_slice(line).map_err(invalid)?;
    if frame.version != VERSION {
        return Err(version_mismatch(VERSION, frame.version));
    }
    serde_json::from_str(frame.request.get()).map_err(invalid)
}

/// Encodes the result of an operation as a line with its line feed. The length is not limited.
pub fn encode_response(outcome: Result<Value, ControlError>) -> Vec<u8> {
    let frame = match outcome {
        Ok(response) => ResponseFrame { version: VERSION, error: None, response },
        Err(error) => ResponseFrame { version: VERSION, error: Some(error), response: Value::Null },
    };
    // Encoding a `Value` cannot fail; the client would reject an empty line.
    let mut line = serde_json::to_vec(&frame).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Decodes a response over the control socket, the line of JSON with the result of an operation.
///
/// # Errors
/// The error of the operation; [`ControlError`] if the line is not a response or has another version.
pub fn decode_response(line: &[u8]) -> Result<Value, ControlError> {
    let frame: ResponseFrame = serde_json::from_slice(line)
        .map_err(|error| ControlError::failed(format!("the gateway's response cannot be read: {error}")))?;
    if frame.version != VERSION {
        return Err(version_mismatch(frame.version, VERSION));
    }
    match frame.error {
        Some(error) => Err(error),
        None => Ok(frame.response),
    }
}

/// Returns the error for a request or response longer than [`MAX_FRAME_BYTES`].
pub(crate) fn too_long() -> ControlError {
    ControlError::failed(format!(
        "the request is longer than {MAX_FRAME_BYTES} bytes, the most that a running gateway accepts: stop \
         `turnwise serve` and run the command again"
    ))
}

/// Returns the error for a gateway and a command with different versions of the protocol.
fn version_mismatch(gateway: u32, command: u32) -> ControlError {
    ControlError::failed(format!(
        "the running gateway uses version {gateway} of the control protocol, the command version {command}: restart \
         `turnwise serve` with the same version of turnwise as the command"
    ))
}
