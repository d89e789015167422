//! The hash chain over all events. Changing one event changes the chain of every later event.

use std::{fmt, str::FromStr};

use event_core::{Hex, Recorded};

use crate::frame::{CAUSED, MAX_ENVELOPE};

/// Size of a chain value, in bytes.
pub(crate) const BYTES: usize = 32;

/// The longest input of one link, in bytes: previous chain, cause flag, envelope and payload hash.
const LONGEST_LINK: usize = BYTES + 1 + MAX_ENVELOPE + 32;

/// The BLAKE3 hash of an event and the previous chain value. Only the payload's hash is hashed, so a purge can remove the
/// payload without breaking the chain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Chain(pub(crate) [u8; BYTES]);

impl Chain {
    /// The value before the first event.
    pub const ORIGIN: Self = Self([0; BYTES]);

    /// Returns the chain value after one more event.
    #[must_use]
    pub fn after(self, recorded: &Recorded) -> Self {
        let event = &recorded.event;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0);
        hasher.update(&[if event.causation.is_some() { CAUSED } else { 0 }]);
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

    /// Computes [`Chain::after`] from the encoded envelope (position to kind) and the hash of the payload.
    pub(crate) fn link(self, caused: bool, envelope: &[u8], payload: [u8; 32]) -> Self {
        // Hashing one buffer avoids setting up an incremental hasher of 2 kB for few bytes.
        let caused = [if caused { CAUSED } else { 0 }];
        let mut whole = [0; LONGEST_LINK];
        let mut bytes = 0;
        for part in [&self.0[..], &caused, envelope, &payload] {
            whole[bytes..bytes + part.len()].copy_from_slice(part);
            bytes += part.len();
        }
        Self(*blake3::hash(&whole[..bytes]).as_bytes())
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

/// The error of parsing a text that is not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a chain has 64 hexadecimal digits")]
pub struct ParseChainError;

impl FromStr for Chain {
    type Err = ParseChainError;

    fn from_str(text: &str) -> Result<Self, ParseChainError> {
        blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes())).map_err(|_| ParseChainError)
    }
}
