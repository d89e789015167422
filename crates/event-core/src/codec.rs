//! Encoding of event payloads and of projection states with bincode. No other module names bincode.
//!
//! The bincode options are part of the log's format and never change. Layouts evolve by version instead, see
//! [`EventType::upcast`](crate::EventType::upcast).

use bincode::Options as _;
use serde::{Serialize, de::DeserializeOwned};

/// Maximum length of an encoded event payload in bytes: 4 KiB. A longer text is stored in a text store, and the event
/// contains its hash (decision D16).
pub const MAX_PAYLOAD_BYTES: u64 = 4 * 1024;

/// Maximum length of an encoded projection state in bytes: 256 MiB.
const MAX_STATE_BYTES: u64 = 256 * 1024 * 1024;

/// Error of encoding or decoding an event payload or the state of a projection.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// The value cannot be encoded, usually because it exceeds the length limit.
    #[error("cannot encode `{what}`")]
    Encode {
        /// Kind of the event, or name of the projection.
        what: &'static str,
        /// Error of bincode.
        source: bincode::Error,
    },
    /// The bytes do not match the layout: they are truncated, too long, or contain an invalid value.
    #[error("cannot decode `{what}`")]
    Decode {
        /// Kind of the event, or name of the projection.
        what: &'static str,
        /// Error of bincode.
        source: bincode::Error,
    },
    /// The layout version of an event is newer than this program supports, or never existed.
    #[error("`{kind}` has layout version {found}, this program reads up to {known}")]
    Version {
        /// Kind of the event.
        kind: &'static str,
        /// Layout version of the event in the log.
        found: u16,
        /// Newest layout version that this program supports.
        known: u16,
    },
}

/// Initial capacity of the buffer for a payload, in bytes. Most payloads fit without growing it.
const USUAL_PAYLOAD_BYTES: usize = 512;

/// Returns the bincode options of the log's format, which reject values of more than `limit` bytes.
fn options(limit: u64) -> impl bincode::Options {
    unlimited().with_limit(limit)
}

/// Returns the bincode options of the log's format without a length limit: little-endian, variable-length integers, no
/// trailing bytes.
fn unlimited() -> impl bincode::Options {
    bincode::DefaultOptions::new().with_no_limit().with_little_endian().with_varint_encoding().reject_trailing_bytes()
}

/// Encodes the payload of an event. `name` is the kind of the event, for the error.
///
/// # Errors
/// [`CodecError::Encode`] if `value` cannot be serialised or its encoding is longer than [`MAX_PAYLOAD_BYTES`].
pub fn encode<T: Serialize>(name: &'static str, value: &T) -> Result<Vec<u8>, CodecError> {
    // With a limit, bincode traverses the value twice: to measure and to write. A check afterwards is faster.
    let mut bytes = Vec::with_capacity(USUAL_PAYLOAD_BYTES);
    let write_result = unlimited().serialize_into(&mut bytes, value);
    let is_too_long = MAX_PAYLOAD_BYTES < bytes.len() as u64;
    let size_check = if is_too_long { Err(bincode::ErrorKind::SizeLimit.into()) } else { Ok(()) };
    write_result.and(size_check).map_err(|source| CodecError::Encode { what: name, source })?;
    Ok(bytes)
}

/// Decodes the payload of an event; trailing bytes are an error. `what` is the kind of the event, for the error.
///
/// # Errors
/// [`CodecError::Decode`] if the bytes do not match the layout of `T` or are longer than [`MAX_PAYLOAD_BYTES`].
pub fn decode<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, CodecError> {
    options(MAX_PAYLOAD_BYTES).deserialize(bytes).map_err(|source| CodecError::Decode { what, source })
}

/// Encodes the state of a projection. `what` is the name of the projection, for the error.
///
/// # Errors
/// [`CodecError::Encode`] if `state` cannot be serialised or its encoding is longer than 256 MiB.
pub fn encode_state<T: Serialize>(what: &'static str, state: &T) -> Result<Vec<u8>, CodecError> {
    options(MAX_STATE_BYTES).serialize(state).map_err(|source| CodecError::Encode { what, source })
}

/// Decodes the state of a projection; trailing bytes are an error. `what` is the name of the projection, for the error.
///
/// # Errors
/// [`CodecError::Decode`] if the bytes do not match the layout of `T` or are longer than 256 MiB.
pub fn decode_state<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, CodecError> {
    options(MAX_STATE_BYTES).deserialize(bytes).map_err(|source| CodecError::Decode { what, source })
}
