//! Unit vectors in a small number of dimensions, and their cosine similarity.

use contracts::Score;

use crate::fixed::{Fixed, Q15};

/// The number of dimensions in which messages are compared.
pub(crate) const DIMENSIONS: usize = 64;

/// The Euclidean length of a [`UnitVector`], chosen so that `NORM²` is 1 as a [`Q15`] and that a vector with two equal
/// components still fits `i8`.
pub(crate) const NORM: i64 = 181;

/// A vector of length [`NORM`], or zero. Components fit `i8`; they are stored as `i16`, which SIMD instructions
/// multiply.
pub(crate) type UnitVector = [i16; DIMENSIONS];

/// A cosine as a [`Q15`] in 16 bits: from -1 to just below 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cosine(pub(crate) i16);

impl Cosine {
    /// Converts the cosine to a [`Q15`], with the same value.
    pub(crate) fn to_q15(self) -> Q15 {
        Fixed(i64::from(self.0))
    }

    /// Returns the product of `weight` and the cosine. A negative cosine counts as 0, the greatest one as 1.
    pub(crate) fn weighted(self, weight: Score) -> Score {
        Score(weight.0 * u64::try_from(self.0).unwrap_or(0) / 32_767)
    }
}

/// Scales a vector to length [`NORM`]; the zero vector stays zero.
///
/// Divides in floating point, which SIMD instructions do for several components at once. The result equals integer
/// division: the numerator has fewer than 37 bits and the denominator fewer than 33, so a quotient below the next
/// integer (below 400) is too far below it to be rounded up.
#[expect(clippy::cast_precision_loss, reason = "at most 36 bits")]
#[expect(clippy::cast_possible_truncation, reason = "clamped to the range of i8; the fraction is dropped on purpose")]
pub(crate) fn scale_to_unit(vector: &[i64; DIMENSIONS]) -> UnitVector {
    // 28 bits are precise enough for 8-bit components, and the sum of their squares fits 64 bits.
    let largest = vector.iter().map(|component| component.unsigned_abs()).max().unwrap_or(0);
    let shift = (64 - largest.leading_zeros()).saturating_sub(28);
    let square_sum: u64 = vector.iter().map(|component| (component.unsigned_abs() >> shift).pow(2)).sum();
    let length = square_sum.isqrt().max(1) as f64;
    let mut unit = [0; DIMENSIONS];
    for (scaled, component) in unit.iter_mut().zip(vector) {
        *scaled = (((component >> shift) * NORM) as f64 / length).clamp(-127.0, 127.0) as i16;
    }
    unit
}

/// Returns the cosine of the angle between two vectors.
///
/// The sum cannot overflow. Wrapping arithmetic, and adding products in pairs, lets the compiler use SIMD instructions
/// on eight components at once.
#[inline]
pub(crate) fn cosine(left: &UnitVector, right: &UnitVector) -> Cosine {
    let mut sums = [0_i32; 4];
    for (left, right) in left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0) {
        let product = |lane: usize| i32::from(left[lane]).wrapping_mul(i32::from(right[lane]));
        for (pair, sum) in sums.iter_mut().enumerate() {
            *sum = sum.wrapping_add(product(2 * pair).wrapping_add(product(2 * pair + 1)));
        }
    }
    let product = sums.into_iter().fold(0, i32::wrapping_add);
    #[expect(clippy::cast_possible_truncation, reason = "clamped to the range of i16")]
    let cosine = product.clamp(-32_767, 32_767) as i16;
    Cosine(cosine)
}
