//! Where an event stands in the log.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The place of an event in the log: 1 for the first, contiguous, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(pub u64);

impl Position {
    /// Before the first event: what an empty log reports as its head.
    pub const ORIGIN: Self = Self(0);

    /// The place after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The place before this one, or `None` at the origin.
    pub const fn before(self) -> Option<Self> {
        match self.0.checked_sub(1) {
            Some(before) => Some(Self(before)),
            None => None,
        }
    }

    /// The key under which a store keeps this position: big-endian, so that keys sort as positions do.
    pub const fn to_key(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// The position a key made by [`Position::to_key`] stands for.
    pub const fn from_key(key: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(key))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
