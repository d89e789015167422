//! [`Position`], the sequence number of an event in the log.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Sequence number of an event in the log: 1 for the first, contiguous, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(pub u64);

impl Position {
    /// Position before the first event; the head of an empty log.
    pub const ORIGIN: Self = Self(0);

    /// Returns the next position. Saturates at `u64::MAX`.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// Returns the previous position; `None` for [`Position::ORIGIN`].
    pub const fn previous(self) -> Option<Self> {
        match self.0.checked_sub(1) {
            Some(before) => Some(Self(before)),
            None => None,
        }
    }

    /// Encodes the position as a database key: big-endian, so that keys sort in the order of positions.
    pub const fn to_key(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// Decodes a database key that [`Position::to_key`] encoded.
    pub const fn from_key(key: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(key))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
