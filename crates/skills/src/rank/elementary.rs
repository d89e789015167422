//! Elementary functions and conversions with the same result on every machine.
//!
//! IEEE 754 defines the results of addition, multiplication, division and square root, and Rust neither reorders nor
//! fuses them. The logarithm and exponential of the standard library differ between platforms, so they are computed
//! here from these operations.

/// `ln 2`.
const LN_2: f64 = std::f64::consts::LN_2;

/// The number of terms of each series; the error is below 10⁻⁹ in the ranges they are used in.
const TERMS: u32 = 14;

/// Returns the natural logarithm of a number, which is clamped to 10⁻³⁰⁰ to 10³⁰⁰. Unlike that of the standard library the
/// result is the same on every platform.
pub(super) fn ln(number: f64) -> f64 {
    let (mut mantissa, mut exponent) = (number.clamp(1e-300, 1e300), 0);
    while 2.0 <= mantissa {
        mantissa /= 2.0;
        exponent += 1;
    }
    while mantissa < 1.0 {
        mantissa *= 2.0;
        exponent -= 1;
    }
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let (mut power, mut sum) = (ratio, 0.0);
    for term in 0..TERMS {
        sum += power / f64::from(2 * term + 1);
        power *= ratio * ratio;
    }
    2.0 * sum + f64::from(exponent) * LN_2
}

/// Returns `e` to the power of a number; numbers below -700 give 0, numbers above 700 count as 700.
pub(super) fn exp(number: f64) -> f64 {
    if number < -700.0 {
        return 0.0;
    }
    // Halved until the series converges quickly, then squared as often.
    let reduced = number.min(700.0) / 1024.0;
    let (mut power, mut sum) = (1.0, 1.0);
    for term in 1..TERMS {
        power *= reduced / f64::from(term);
        sum += power;
    }
    for _ in 0..10 {
        sum *= sum;
    }
    sum
}

/// Converts a count, which must be below 2⁵³, to floating point.
#[expect(clippy::cast_precision_loss, reason = "counts of texts and features are far below 2⁵³")]
pub(super) const fn to_f64(count: usize) -> f64 {
    count as f64
}

/// Rounds a number to single precision.
#[expect(clippy::cast_possible_truncation, reason = "rounding is intended")]
pub(super) const fn to_f32(number: f64) -> f32 {
    number as f32
}

/// Rounds a number to the nearest integer between `-limit` and `limit`.
#[expect(clippy::cast_possible_truncation, reason = "the number is clamped")]
pub(super) fn round_within(number: f32, limit: i16) -> i16 {
    number.round().clamp(-f32::from(limit), f32::from(limit)) as i16
}

/// Converts a share from 0 to 1 to parts per 10,000, rounded to the nearest.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the share is clamped")]
pub(super) fn parts_per_10_000(share: f64) -> u16 {
    (share.clamp(0.0, 1.0) * 10_000.0).round() as u16
}

/// Returns the natural logarithm of the odds of a probability against another, in thousandths and rounded to the nearest.
#[expect(clippy::cast_possible_truncation, reason = "logarithms are between -700 and 700")]
pub(super) fn log_odds_in_thousandths(probability: f64, other: f64) -> i32 {
    ((ln(probability) - ln(other)) * 1_000.0).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_and_exponential_agree_with_the_standard_library() {
        for number in [1e-6, 0.5, 1.0, 1.5, 3.0, 999.0, 65_537.0, 1e12] {
            assert!((ln(number) - number.ln()).abs() < 1e-9, "{number}");
        }
        for number in [-50.0, -1.5, 0.0, 0.001, 1.0, 20.0] {
            assert!((exp(number) / f64::exp(number) - 1.0).abs() < 1e-9, "{number}");
        }
        assert!(exp(-1_000.0) < 1e-300 && exp(1e9).is_finite());
    }

    #[test]
    fn conversions_round_to_the_nearest_and_clamp() {
        assert_eq!((round_within(1.5, 127), round_within(-900.0, 127), round_within(f32::NAN, 127)), (2, -127, 0));
        assert_eq!((log_odds_in_thousandths(0.5, 0.5), log_odds_in_thousandths(0.9, 0.1)), (0, 2_197));
        assert_eq!((parts_per_10_000(0.123_46), parts_per_10_000(2.0), parts_per_10_000(-1.0)), (1_235, 10_000, 0));
    }
}
