//! [`Weights`], linear classifiers in integers.

use super::{elementary::round_within, margin_training::LinearClassifiers, vocabulary::TextVector};

/// The number 1 in the unit of sums.
pub(super) const ONE: i32 = 1 << 20;

/// The weights of linear classifiers, rounded to 8 bits with one scale for each feature. A text is classified with
/// integers only.
#[derive(Clone, PartialEq)]
pub(super) struct Weights {
    /// The weights by feature, then by classifier, in units of the feature's scale.
    rounded: Vec<i8>,
    /// The scale of each feature, in units of 1 / [`ONE`].
    scales: Vec<f32>,
    /// The threshold of each classifier, in units of 1 / [`ONE`].
    thresholds: Vec<i32>,
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Weights").field("classes", &self.thresholds.len()).finish_non_exhaustive()
    }
}

impl Weights {
    /// Rounds trained classifiers.
    pub(super) fn round(trained: &LinearClassifiers) -> Self {
        let classes = trained.thresholds.len().max(1);
        let one = to_single(ONE);
        let mut rounded = Vec::with_capacity(trained.weights.len());
        let mut scales = Vec::with_capacity(trained.weights.len() / classes);
        for row in trained.weights.chunks_exact(classes) {
            let largest = row.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
            let steps = if largest > 0.0 { f32::from(i8::MAX) / largest } else { 0.0 };
            rounded.extend(row.iter().map(|weight| {
                // Between -127 and 127.
                i8::try_from(round_within(weight * steps, i16::from(i8::MAX))).unwrap_or_default()
            }));
            scales.push(if largest > 0.0 { one / steps } else { 0.0 });
        }
        let threshold = |threshold: &f32| i32::from(round_within(threshold * 1024.0, i16::MAX)) * (ONE / 1024);
        Self { rounded, scales, thresholds: trained.thresholds.iter().map(threshold).collect() }
    }

    /// Returns the sum of each classifier for a text, in units of 1 / [`ONE`].
    pub(super) fn sums(&self, vector: &TextVector) -> Vec<i32> {
        let classes = self.thresholds.len();
        let mut sums = self.thresholds.clone();
        for (column, value) in &vector.entries {
            let column = *column as usize;
            let scale = self.scales.get(column).copied().unwrap_or_default();
            let factor = i32::from(round_within(value * scale, i16::MAX));
            let row = self.rounded.get(column * classes..(column + 1) * classes).unwrap_or_default();
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum = sum.wrapping_add(i32::from(*weight) * factor);
            }
        }
        sums
    }

    /// Returns the memory in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.rounded.len() + 4 * (self.scales.len() + self.thresholds.len())
    }
}

/// Converts a power of two below 2²⁴ to floating point, which is exact.
#[expect(clippy::cast_precision_loss, reason = "exact for powers of two")]
const fn to_single(power: i32) -> f32 {
    power as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_sums_are_close_to_the_sums_in_floating_point() {
        let trained =
            LinearClassifiers { weights: vec![0.5, -1.25, 0.003, 0.001, 0.0, 0.0], thresholds: vec![-1.0, 0.25] };
        let rounded = Weights::round(&trained);
        let vector = TextVector { entries: vec![(0, 0.3), (1, 0.8), (2, 0.5), (9, 1.0)] };
        let sums: Vec<f64> = rounded.sums(&vector).iter().map(|sum| f64::from(*sum) / f64::from(ONE)).collect();
        for (sum, expected) in sums.iter().zip([-1.0 + 0.15 + 0.0024, 0.25 - 0.375 + 0.0008]) {
            assert!((sum - expected).abs() < 0.003, "{sum} instead of {expected}");
        }
        assert_eq!(rounded.memory_bytes(), 6 + 4 * (3 + 2));
    }
}
