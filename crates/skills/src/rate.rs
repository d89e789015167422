//! [`Rate`], an exact share of a total.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A number of cases out of a total. Compared as an exact fraction, so that no rounding moves a case over a threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// The number of cases. Exceeds `total` for an average above 1.
    pub count: u64,
    /// The number of all cases; 0 if nothing was counted.
    pub total: u64,
}

impl Rate {
    /// Creates the rate `count / total`.
    pub const fn new(count: u64, total: u64) -> Self {
        Self { count, total }
    }

    /// Returns whether the rate is greater than `percent` / 100; `false` if the total is 0.
    pub const fn exceeds_percent(self, percent: u64) -> bool {
        self.total > 0 && self.count.saturating_mul(100) > percent.saturating_mul(self.total)
    }

    /// Returns whether the rate is less than `percent` / 100; `false` if the total is 0.
    pub const fn is_below_percent(self, percent: u64) -> bool {
        self.total > 0 && self.count.saturating_mul(100) < percent.saturating_mul(self.total)
    }

    /// Returns the rate in thousandths, rounded half up; `None` if the total is 0.
    pub const fn per_mille(self) -> Option<u64> {
        divide_half_up(self.count.saturating_mul(1_000), self.total)
    }
}

/// Formats the rate in percent with one decimal and both numbers, such as `41.0 % (41 of 100)`, or `no data`.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.per_mille() {
            Some(rate) => write!(f, "{}.{} % ({} of {})", rate / 10, rate % 10, self.count, self.total),
            None => f.write_str("no data"),
        }
    }
}

/// Returns `numerator / denominator`, rounded half up; `None` if the denominator is 0.
pub(crate) const fn divide_half_up(numerator: u64, denominator: u64) -> Option<u64> {
    let Some(quotient) = numerator.checked_div(denominator) else { return None };
    let remainder = numerator % denominator;
    Some(if remainder >= denominator - remainder { quotient.saturating_add(1) } else { quotient })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_compared_without_rounding() {
        assert!(!Rate::new(30, 100).exceeds_percent(30));
        assert!(Rate::new(4, 13).exceeds_percent(30));
        assert!(!Rate::new(0, 0).exceeds_percent(0) && !Rate::new(0, 0).is_below_percent(100));
        assert!(Rate::new(84, 100).is_below_percent(85) && !Rate::new(85, 100).is_below_percent(85));
    }

    #[test]
    fn half_is_rounded_up() {
        let rounded = |numerator, denominator| divide_half_up(numerator, denominator);
        assert_eq!([rounded(1, 2), rounded(3, 2), rounded(4, 3), rounded(5, 3)], [Some(1), Some(2), Some(1), Some(2)]);
        assert_eq!((rounded(0, 7), rounded(7, 0)), (Some(0), None));
    }

    #[test]
    fn a_rate_names_both_numbers() {
        assert_eq!(Rate::new(4, 13).to_string(), "30.8 % (4 of 13)");
        assert_eq!(Rate::default().to_string(), "no data");
    }
}
