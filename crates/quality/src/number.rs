//! Counts and scores as numbers one can calculate with.

use contracts::Score;

/// A count that is far below 2⁵³.
#[expect(clippy::cast_precision_loss, reason = "counts of turns, models and words are far below 2⁵³")]
pub(crate) const fn number(count: usize) -> f64 {
    count as f64
}

/// A score as a number from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "at most a billion")]
pub(crate) const fn share(score: Score) -> f64 {
    score.0 as f64 / 1e9
}

/// A number of at least 0 in billionths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and nothing is below 0")]
pub(crate) const fn billionths(number: f64) -> u64 {
    (number * 1e9).round() as u64
}
