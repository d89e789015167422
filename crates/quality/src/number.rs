//! Counts as numbers one can divide by.

/// A count that is far below 2⁵³.
#[expect(clippy::cast_precision_loss, reason = "counts of turns, models and words are far below 2⁵³")]
pub(crate) const fn number(count: usize) -> f64 {
    count as f64
}
