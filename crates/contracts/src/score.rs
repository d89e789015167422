//! [`Score`], an exact fraction between 0 and 1.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A number between 0 and 1, stored in billionths (decision D20). Integers make a sum independent of the order of its
/// terms, so equal inputs have exactly equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(pub u64);

impl Score {
    /// The score 0.
    pub const ZERO: Self = Self(0);
    /// The score 1.
    pub const ONE: Self = Self(1_000_000_000);

    /// Returns `numerator / denominator`, rounded down and limited to 1; 0 if `denominator` is 0.
    pub fn ratio(numerator: u64, denominator: u64) -> Self {
        if denominator == 0 {
            return Self::ZERO;
        }
        let billionths = u128::from(numerator) * u128::from(Self::ONE.0) / u128::from(denominator);
        u64::try_from(billionths).map_or(Self::ONE, |billionths| Self(billionths).min(Self::ONE))
    }

    /// Returns 1 minus the score.
    #[must_use]
    pub const fn complement(self) -> Self {
        Self(Self::ONE.0.saturating_sub(self.0))
    }

    /// Returns the product of two scores, rounded down to a billionth.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let product = u128::from(self.0) * u128::from(other.0) / u128::from(Self::ONE.0);
        // Both are at most 1, so the product is as well.
        u64::try_from(product).map_or(Self::ONE, Self)
    }
}

/// Formats a score with two decimals, rounded half up, as the output of `why` has them (004 §7.4).
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = self.0.saturating_add(5_000_000) / 10_000_000;
        write!(f, "{}.{:02}", hundredths / 100, hundredths % 100)
    }
}
