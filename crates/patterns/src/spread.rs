//! Keys as numbers that are spread evenly, the same on every machine: what tables of places are built on.

use contracts::TurnId;

use crate::words::mixed;

/// A key that tables can find.
pub(crate) trait Spread: Copy + Eq {
    /// A number in which all bits depend on the key.
    fn spread(self) -> u64;
}

impl Spread for u64 {
    fn spread(self) -> u64 {
        mixed(self)
    }
}

impl Spread for u128 {
    #[expect(clippy::cast_possible_truncation, reason = "the lower half and the upper one are what is meant")]
    fn spread(self) -> u64 {
        mixed(self as u64 ^ (self >> 64) as u64)
    }
}

impl Spread for TurnId {
    fn spread(self) -> u64 {
        u128::from_le_bytes(self.0.0).spread()
    }
}
