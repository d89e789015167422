//! [`Chain`], the hash chain over all events. A changed event changes the chain value of every later event.

use std::{fmt, str::FromStr};

use event_core::{Hex, Recorded};

use crate::frame::{HAS_CAUSE, MAX_ENVELOPE};

/// Size of a chain value, in bytes.
pub(crate) const SIZE: usize = 32;

/// Maximum hash input of one event, in bytes: previous chain value, cause flag, envelope and payload hash.
const MAX_INPUT: usize = SIZE + 1 + MAX_ENVELOPE + 32;

/// A value of the hash chain over the event log: the BLAKE3 hash of an event and of the chain value before it. The
/// payload enters as its own hash, so that a purge can remove it without breaking the chain. Printed and parsed as 64
/// hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Chain(pub(crate) [u8; SIZE]);

impl Chain {
    /// The chain value before the first event: zeros.
    pub const ORIGIN: Self = Self([0; SIZE]);

    /// Returns the hash chain value after the event `recorded`; `self` is the value of the event before it.
    #[must_use]
    pub fn after(self, recorded: &Recorded) -> Self {
        let event = &recorded.event;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0);
        hasher.update(&[if event.causation.is_some() { HAS_CAUSE } else { 0 }]);
        hasher.update(&recorded.position.0.to_le_bytes());
        hasher.update(&recorded.recorded_at.0.to_le_bytes());
        hasher.update(&event.id.0);
        hasher.update(&event.at.0.to_le_bytes());
        hasher.update(&event.correlation.0);
        hasher.update(event.causation.as_ref().map_or(&[], |cause| &cause.0[..]));
        hasher.update(&event.version.to_le_bytes());
        // The log rejects longer kinds.
        hasher.update(&[u8::try_from(event.kind.len()).unwrap_or(u8::MAX)]);
        hasher.update(event.kind.as_bytes());
        hasher.update(&recorded.purged.unwrap_or_else(|| *blake3::hash(&event.payload).as_bytes()));
        Self(*hasher.finalize().as_bytes())
    }

    /// Computes the same value as [`Chain::after`] from an encoded event. `has_cause` is whether the event has a cause,
    /// `envelope` the bytes from position to kind (see [`frame`](crate::frame)), `payload_hash` the BLAKE3 hash of the
    /// payload.
    pub(crate) fn after_encoded(self, has_cause: bool, envelope: &[u8], payload_hash: [u8; 32]) -> Self {
        // Hashing one buffer avoids setting up an incremental hasher of 2 kB for few bytes.
        let cause_flag = [if has_cause { HAS_CAUSE } else { 0 }];
        let mut input = [0; MAX_INPUT];
        let mut length = 0;
        for part in [&self.0[..], &cause_flag, envelope, &payload_hash] {
            input[length..length + part.len()].copy_from_slice(part);
            length += part.len();
        }
        Self(*blake3::hash(&input[..length]).as_bytes())
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl serde::Serialize for Chain {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Error of parsing a chain value from a text that is not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a chain has 64 hexadecimal digits")]
pub struct ParseChainError;

impl FromStr for Chain {
    type Err = ParseChainError;

    fn from_str(text: &str) -> Result<Self, ParseChainError> {
        blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes())).map_err(|_| ParseChainError)
    }
}
