//! Conversions to and from floating point.

use contracts::Score;

/// Converts a count to floating point. It must be below 2⁵³, where the conversion is exact.
#[expect(clippy::cast_precision_loss, reason = "counts of turns, models and words are far below 2⁵³")]
pub(crate) const fn to_f64(count: usize) -> f64 {
    count as f64
}

/// Converts a score from billionths to a number from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "at most a billion")]
pub(crate) const fn score_to_f64(score: Score) -> f64 {
    score.0 as f64 / 1e9
}

/// Converts a number to billionths, rounded to the nearest. Negative numbers become 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and nothing is below 0")]
pub(crate) const fn billionths(number: f64) -> u64 {
    (number * 1e9).round() as u64
}
