//! Fixed-point numbers: integers with an implied binary point.
//!
//! A decision has to be the same on every machine, so estimates are computed in integers. [`Fixed<F>`](Fixed) stores
//! the number `x` as the integer `x · 2^F`, rounded. Sums need no conversion; the product of two stored integers has to
//! be divided by the `ONE` of one factor.

use std::{
    iter::Sum,
    ops::{Add, AddAssign, Div, Mul, Sub},
};

use contracts::Score;
use serde::{Deserialize, Serialize};

/// A signed fixed-point number `x` with `FRACTION_BITS` fractional bits, stored as the integer `x · 2^FRACTION_BITS`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Fixed<const FRACTION_BITS: u32>(pub(crate) i64);

/// Fixed-point number with 15 fractional bits, for weights, frequencies, cosines and similarities.
pub(crate) type Q15 = Fixed<15>;

/// Fixed-point number with 20 fractional bits, for outcomes, means and regression coefficients.
pub(crate) type Q20 = Fixed<20>;

/// Fixed-point number with 35 fractional bits, for unrounded products of a [`Q20`] and a [`Q15`].
pub(crate) type Q35 = Fixed<35>;

/// A logarithm to base 2 with 8 fractional bits, from 0 to just below 64.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Log2(pub(crate) u16);

impl<const FRACTION_BITS: u32> Fixed<FRACTION_BITS> {
    /// The number 0.
    pub(crate) const ZERO: Self = Self(0);

    /// The number 1.
    pub(crate) const ONE: Self = Self(1 << FRACTION_BITS);

    /// Returns `numerator / denominator`, rounded towards zero; zero if the denominator is zero.
    pub(crate) fn ratio(numerator: i64, denominator: i64) -> Self {
        Self((numerator * Self::ONE.0).checked_div(denominator).unwrap_or(0))
    }

    /// Returns the product of this number and `factor`, rounded towards zero.
    pub(crate) const fn times(self, factor: Q15) -> Self {
        Self(self.0 * factor.0 / Q15::ONE.0)
    }

    /// Returns the product of this number and `factor`, rounded down.
    pub(crate) const fn times_floor(self, factor: Q15) -> Self {
        Self((self.0 * factor.0) >> 15)
    }
}

impl Q15 {
    /// Converts a score from billionths, rounded down; scores above 1 become 1.
    pub(crate) fn from_score(score: Score) -> Self {
        let score = i64::try_from(score.min(Score::ONE).0).unwrap_or_default();
        Self(score * Self::ONE.0 / 1_000_000_000)
    }

    /// Returns the square root, rounded down; zero for negative numbers.
    pub(crate) fn sqrt(self) -> Self {
        Self((self.0.max(0) * Self::ONE.0).isqrt())
    }
}

impl Q20 {
    /// Returns the exact product of this number and `factor`.
    pub(crate) const fn wide_product(self, factor: Q15) -> Q35 {
        Fixed(self.0 * factor.0)
    }

    /// Converts the number to a score in billionths; a negative number becomes 0.
    pub(crate) fn to_score(self) -> Score {
        Score::ratio(self.0.max(0).unsigned_abs(), Self::ONE.0.unsigned_abs())
    }
}

impl Q35 {
    /// Drops the last 15 fractional bits of the number, which rounds it down.
    pub(crate) const fn to_q20(self) -> Q20 {
        Fixed(self.0 >> 15)
    }
}

impl Log2 {
    /// Returns `log2(number)`, rounded down to 8 fractional bits; 0 for 0.
    ///
    /// Computes one bit per step: squaring a number doubles its logarithm.
    pub(crate) fn from_integer(number: u64) -> Self {
        let number = number.max(1);
        let integer_part = number.ilog2();
        // From 1 to 2, with 32 fractional bits.
        let mut mantissa = (u128::from(number) << 32) >> integer_part;
        let mut fraction = 0_u32;
        for _ in 0..8 {
            mantissa = (mantissa * mantissa) >> 32;
            fraction <<= 1;
            if 2 << 32 <= mantissa {
                mantissa >>= 1;
                fraction |= 1;
            }
        }
        // The integer part is at most 63.
        Self(u16::try_from(integer_part << 8 | fraction).unwrap_or(u16::MAX))
    }

    /// Subtracts `other`; 0 if the difference is negative.
    pub(crate) const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl<const F: u32> Add for Fixed<F> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl<const F: u32> AddAssign for Fixed<F> {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl<const F: u32> Sub for Fixed<F> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl<const F: u32> Mul<i64> for Fixed<F> {
    type Output = Self;

    fn mul(self, factor: i64) -> Self {
        Self(self.0 * factor)
    }
}

impl<const F: u32> Div<i64> for Fixed<F> {
    type Output = Self;

    fn div(self, divisor: i64) -> Self {
        Self(self.0 / divisor)
    }
}

impl<const F: u32> Sum for Fixed<F> {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Add::add)
    }
}
