//! Frames: one line of JSON each, with the version of the protocol.
//!
//! `{"version": 1, "request": {"operation": …, "arguments": …}}` is answered by `{"version": 1, "response": …}` or
//! `{"version": 1, "error": {"kind": …, "message": …}}`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{error::ControlError, operation::ControlRequest};

/// The version of the protocol. A change of any request or response raises it.
pub const VERSION: u32 = 1;
/// The longest frame, in bytes: twice the longest line of a session file.
pub const MAX_FRAME_BYTES: usize = 128 * 1024 * 1024;

#[derive(Serialize)]
struct OutgoingRequest<'a> {
    version: u32,
    request: &'a ControlRequest,
}

#[derive(Deserialize)]
struct IncomingRequest<'a> {
    version: u32,
    /// Parsed when the version is known to match.
    #[serde(borrow)]
    request: &'a RawValue,
}

#[derive(Default, Serialize, Deserialize)]
struct ResponseFrame {
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<ControlError>,
    #[serde(default)]
    response: Value,
}

/// Encodes a request as a line.
///
/// # Errors
/// [`ControlError`] when it is longer than [`MAX_FRAME_BYTES`].
pub(crate) fn encode_request(request: &ControlRequest) -> Result<Vec<u8>, ControlError> {
    let frame = OutgoingRequest { version: VERSION, request };
    let mut line = serde_json::to_vec(&frame).map_err(|error| ControlError::failed(error.to_string()))?;
    if MAX_FRAME_BYTES <= line.len() {
        return Err(too_long());
    }
    line.push(b'\n');
    Ok(line)
}

/// Decodes a request.
///
/// # Errors
/// [`ControlError`] when the line is not a request, or has another version.
pub(crate) fn decode_request(line: &[u8]) -> Result<ControlRequest, ControlError> {
    let invalid = |error| ControlError::failed(format!("this is not a request of the control protocol: {error}"));
    let frame: IncomingRequest<'_> = serde_json::from_slice(line).map_err(invalid)?;
    if frame.version != VERSION {
        return Err(version_mismatch(VERSION, frame.version));
    }
    serde_json::from_str(frame.request.get()).map_err(invalid)
}

/// Encodes the outcome of a request as a line.
pub(crate) fn encode_response(outcome: Result<Value, ControlError>) -> Vec<u8> {
    let frame = match outcome {
        Ok(response) => ResponseFrame { version: VERSION, error: None, response },
        Err(error) => ResponseFrame { version: VERSION, error: Some(error), response: Value::Null },
    };
    // Encoding a `Value` cannot fail; an empty line would be refused by the client.
    let mut line = serde_json::to_vec(&frame).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Decodes the outcome of a request.
///
/// # Errors
/// The error of the operation, or [`ControlError`] when the line is not a response or has another version.
pub(crate) fn decode_response(line: &[u8]) -> Result<Value, ControlError> {
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

/// The error for a frame longer than [`MAX_FRAME_BYTES`].
pub(crate) fn too_long() -> ControlError {
    ControlError::failed(format!(
        "the request is longer than {MAX_FRAME_BYTES} bytes, the most that a running gateway accepts: stop \
         `turnwise serve` and run the command again"
    ))
}

fn version_mismatch(gateway: u32, command: u32) -> ControlError {
    ControlError::failed(format!(
        "the running gateway uses version {gateway} of the control protocol, the command version {command}: restart \
         `turnwise serve` with the same version of turnwise as the command"
    ))
}
