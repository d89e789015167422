//! Encoding of events and of projection states with bincode. No other module names bincode.
//!
//! The options below are part of the log's format and never change. Layouts evolve by version instead, see
//! [`EventType::upcast`](crate::EventType::upcast).

use bincode::Options as _;
use serde::{Serialize, de::DeserializeOwned};

/// Maximum length of a payload in bytes. Longer text goes to the text store (decision D16).
pub const MAX_PAYLOAD_BYTES: u64 = 4 * 1024;

/// Maximum length of an encoded projection state in bytes.
const MAX_STATE_BYTES: u64 = 256 * 1024 * 1024;

/// Error of encoding or decoding an event or a projection state.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// The value cannot be encoded, for example because it is too long.
    #[error("cannot encode `{what}`")]
    Encode {
        /// Kind of the event, or name of the projection.
        what: &'static str,
        /// Error of bincode.
        source: bincode::Error,
    },
    /// The bytes do not match the layout.
    #[error("cannot decode `{what}`")]
    Decode {
        /// Kind of the event, or name of the projection.
        what: &'static str,
        /// Error of bincode.
        source: bincode::Error,
    },
    /// The layout version is not supported.
    #[error("`{kind}` has layout version {found}, this program reads up to {known}")]
    Version {
        /// Kind of the event.
        kind: &'static str,
        /// Version in the log.
        found: u16,
        /// Newest supported version.
        known: u16,
    },
}

/// Initial capacity of the buffer of a payload in bytes. Most payloads fit.
const USUAL_PAYLOAD_BYTES: usize = 512;

/// Returns the options of the log's format, with a limit in bytes.
fn options(limit: u64) -> impl bincode::Options {
    unlimited().with_limit(limit)
}

/// Returns the options of the log's format: little-endian, variable-length integers, no trailing bytes.
fn unlimited() -> impl bincode::Options {
    bincode::DefaultOptions::new().with_no_limit().with_little_endian().with_varint_encoding().reject_trailing_bytes()
}

/// Encodes a payload of at most [`MAX_PAYLOAD_BYTES`]. `what` is the event's kind, for the error.
pub fn encode<T: Serialize>(what: &'static str, value: &T) -> Result<Vec<u8>, CodecError> {
    // With a limit, bincode traverses the value twice: to measure and to write. A check afterwards is faster.
    let mut bytes = Vec::with_capacity(USUAL_PAYLOAD_BYTES);
    let written = unlimited().serialize_into(&mut bytes, value);
    let too_long = MAX_PAYLOAD_BYTES < bytes.len() as u64;
    let fits = if too_long { Err(bincode::ErrorKind::SizeLimit.into()) } else { Ok(()) };
    written.and(fits).map_err(|source| CodecError::Encode { what, source })?;
    Ok(bytes)
}

/// Decodes a payload of at most [`MAX_PAYLOAD_BYTES`]. `what` is the event's kind, for the error.
pub fn decode<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, CodecError> {
    options(MAX_PAYLOAD_BYTES).deserialize(bytes).map_err(|source| CodecError::Decode { what, source })
}

/// Encodes the state of a projection, at most 256 MiB. `what` is the projection's name, for the error.
pub fn encode_state<T: Serialize>(what: &'static str, state: &T) -> Result<Vec<u8>, CodecError> {
    options(MAX_STATE_BYTES).serialize(state).map_err(|source| CodecError::Encode { what, source })
}

/// Decodes the state of a projection, at most 256 MiB. `what` is the projection's name, for the error.
pub fn decode_state<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, CodecError> {
    options(MAX_STATE_BYTES).deserialize(bytes).map_err(|source| CodecError::Decode { what, source })
}
