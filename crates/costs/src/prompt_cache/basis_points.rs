//! [`BasisPoints`], relative errors as integers.

use std::fmt;

use contracts::NanoUsd;

/// A signed fraction in hundredths of a per cent, used for relative errors of the simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct BasisPoints(pub i64);

impl BasisPoints {
    /// Returns `(amount - reference) / reference`, rounded to the nearest hundredth of a per cent, halves away from
    /// zero, at most `i64::MAX`. The amounts are unsigned. `None` if the reference is zero.
    pub fn relative_error(amount: NanoUsd, reference: NanoUsd) -> Option<Self> {
        let reference = i128::from(reference.0);
        let twice = 2 * 10_000 * (i128::from(amount.0) - reference);
        let rounded = (twice + reference * twice.signum()).checked_div(2 * reference)?;
        Some(Self(i64::try_from(rounded).unwrap_or(i64::MAX)))
    }

    /// Returns the absolute value.
    #[must_use]
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }
}

/// Formats as `-1.82 %`; `{:+}` adds a sign to values that are not negative.
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
