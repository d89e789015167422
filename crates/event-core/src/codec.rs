//! The bytes of an event: the one place that names bincode.
//!
//! The options below are part of the log's format and never change. Layouts evolve by version instead, see
//! [`EventType::upcast`](crate::EventType::upcast).

use bincode::Options as _;
use serde::{Serialize, de::DeserializeOwned};

/// The largest payload the log accepts, in bytes. Longer text goes to a content-addressed file (decision D16).
pub const MAX_PAYLOAD_BYTES: u64 = 4 * 1024;

/// The largest state of a projection that can be saved, in bytes.
const MAX_STATE_BYTES: u64 = 256 * 1024 * 1024;

/// Bytes that do not hold what they should.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// A value that cannot be written.
    #[error("cannot encode `{what}`")]
    Encode {
        /// The kind of the event, or the name of the projection.
        what: &'static str,
        /// What bincode says.
        source: bincode::Error,
    },
    /// Bytes that cannot be read.
    #[error("cannot decode `{what}`")]
    Decode {
        /// The kind of the event, or the name of the projection.
        what: &'static str,
        /// What bincode says.
        source: bincode::Error,
    },
    /// A layout version this program cannot read.
    #[error("`{kind}` has layout version {found}, this program reads up to {known}")]
    Version {
        /// The kind of the event.
        kind: &'static str,
        /// The version in the log.
        found: u16,
        /// The newest version this program knows.
        known: u16,
    },
}

/// What most payloads have room in, in bytes.
const USUAL_PAYLOAD_BYTES: usize = 512;

fn options(limit: u64) -> impl bincode::Options {
    unlimited().with_limit(limit)
}

fn unlimited() -> impl bincode::Options {
    bincode::DefaultOptions::new().with_no_limit().with_little_endian().with_varint_encoding().reject_trailing_bytes()
}

/// Writes a payload of at most [`MAX_PAYLOAD_BYTES`].
pub fn encode<T: Serialize>(what: &'static str, value: &T) -> Result<Vec<u8>, CodecError> {
    // With a limit, bincode goes through the value twice: to measure it, then to write it.
    let mut bytes = Vec::with_capacity(USUAL_PAYLOAD_BYTES);
    let written = unlimited().serialize_into(&mut bytes, value);
    let too_long = MAX_PAYLOAD_BYTES < bytes.len() as u64;
    let fits = if too_long { Err(bincode::ErrorKind::SizeLimit.into()) } else { Ok(()) };
    written.and(fits).map_err(|source| CodecError::Encode { what, source })?;
    Ok(bytes)
}

/// Reads a payload of at most [`MAX_PAYLOAD_BYTES`], all of it.
pub fn decode<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, CodecError> {
    options(MAX_PAYLOAD_BYTES).deserialize(bytes).map_err(|source| CodecError::Decode { what, source })
}

/// Writes the state of a projection, at most 256 MiB.
pub fn encode_state<T: Serialize>(what: &'static str, state: &T) -> Result<Vec<u8>, CodecError> {
    options(MAX_STATE_BYTES).serialize(state).map_err(|source| CodecError::Encode { what, source })
}

/// Reads the state of a projection, all of it.
pub fn decode_state<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, CodecError> {
    options(MAX_STATE_BYTES).deserialize(bytes).map_err(|source| CodecError::Decode { what, source })
}
