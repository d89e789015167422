//! Relative errors as integers.

use std::fmt;

use contracts::NanoUsd;

/// A signed share in hundredths of a per cent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct BasisPoints(pub i64);

impl BasisPoints {
    /// By how much `amount` is off from `reference`, rounded to the nearest, halves away from zero; `None` when the
    /// reference is nothing.
    pub fn off(amount: NanoUsd, reference: NanoUsd) -> Option<Self> {
        let reference = i128::from(reference.0);
        let twice = 2 * 10_000 * (i128::from(amount.0) - reference);
        let rounded = (twice + reference * twice.signum()).checked_div(2 * reference)?;
        Some(Self(i64::try_from(rounded).unwrap_or(i64::MAX)))
    }

    /// Without its sign.
    #[must_use]
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }
}

/// `-1.82 %`; `{:+}` shows the sign of what is not negative, too.
impl fmt::Display for BasisPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.0 {
            ..0 => "-",
            _ if f.sign_plus() => "+",
            _ => "",
        };
        let points = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02} %", points / 100, points % 100)
    }
}
