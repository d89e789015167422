//! Conversion of the sums of classifiers to probabilities.

use super::{
    elementary::{exp, ln},
    weights::ONE,
};

/// The sums of the classifiers for a text that was not in training, with the class that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeldOutText {
    /// The sum of each classifier; that of "no skill" is the last.
    pub(super) sums: Vec<i32>,
    /// The index of the right class.
    pub(super) class: usize,
    /// The position of the request in the list of training requests.
    pub(super) request: usize,
    /// Whether the skill of the request was removed as well, so that "no skill" is the right class.
    pub(super) is_removed: bool,
}

/// A softmax over the sums of the classifiers: the probability of a class is proportional to `exp(sharpness * sum)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Calibration {
    /// The factor of the sums, above 0.
    sharpness: f64,
    /// The number that is added to the sum of "no skill".
    no_skill_offset: f64,
}

/// The calibration without labelled requests: about what fits the training requests of `clinc150` and `metatool` if only the
/// descriptions are known.
const UNLABELLED: Calibration = Calibration { sharpness: 12.0, no_skill_offset: 0.2 };

/// The sharpnesses that are tried, in halves.
const SHARPNESS_HALVES: std::ops::RangeInclusive<u8> = 2..=30;

/// The offsets of "no skill" that are tried, in tenths.
const OFFSET_TENTHS: std::ops::RangeInclusive<i8> = -15..=20;

/// The most held-out texts that a calibration is fitted to.
pub(super) const MAX_TEXTS: usize = 1_000;

impl Default for Calibration {
    fn default() -> Self {
        UNLABELLED
    }
}

impl Calibration {
    /// Fits a calibration to held-out texts: the one with the greatest likelihood of the right classes. The default if
    /// there are no texts. Of more than [`MAX_TEXTS`], every n-th is used.
    pub(super) fn fit(texts: &[HeldOutText]) -> Self {
        let step = texts.len().div_ceil(MAX_TEXTS).max(1);
        let texts: Vec<&HeldOutText> = texts.iter().step_by(step).collect();
        let mut best = (f64::INFINITY, UNLABELLED);
        for halves in SHARPNESS_HALVES {
            let sharpness = f64::from(halves) / 2.0;
            let terms: Vec<Terms> = texts.iter().filter_map(|text| Terms::new(text, sharpness)).collect();
            for tenths in OFFSET_TENTHS {
                let calibration = Self { sharpness, no_skill_offset: f64::from(tenths) / 10.0 };
                let factor = exp(sharpness * calibration.no_skill_offset);
                let cost: f64 = terms.iter().map(|terms| terms.cost(factor)).sum();
                if !terms.is_empty() && cost < best.0 {
                    best = (cost, calibration);
                }
            }
        }
        best.1
    }

    /// Returns the probability of each class for the sums of the classifiers.
    pub(super) fn probabilities(&self, sums: &[i32]) -> Vec<f64> {
        let largest = sums.iter().copied().max().unwrap_or_default();
        let mut terms: Vec<f64> = sums.iter().map(|sum| exp(self.sharpness * difference(*sum, largest))).collect();
        if let Some(no_skill) = terms.last_mut() {
            *no_skill *= exp(self.sharpness * self.no_skill_offset);
        }
        let total: f64 = terms.iter().sum();
        for term in &mut terms {
            *term /= total;
        }
        terms
    }
}

/// The terms of a text's softmax at one sharpness, without the offset of "no skill".
struct Terms {
    /// The sum of the terms of all skills.
    skills: f64,
    /// The term of "no skill".
    no_skill: f64,
    /// The term of the right class; `None` if that is "no skill".
    right: Option<f64>,
}

impl Terms {
    /// Computes the terms of a text; `None` if it has no sums.
    fn new(text: &HeldOutText, sharpness: f64) -> Option<Self> {
        let largest = text.sums.iter().copied().max()?;
        let term = |sum: &i32| exp(sharpness * difference(*sum, largest));
        let (no_skill, skills) = text.sums.split_last()?;
        Some(Self {
            skills: skills.iter().map(term).sum(),
            no_skill: term(no_skill),
            right: skills.get(text.class).map(term),
        })
    }

    /// Returns the negative logarithm of the right class's probability, at most 14. `factor` multiplies the term of
    /// "no skill".
    fn cost(&self, factor: f64) -> f64 {
        let no_skill = self.no_skill * factor;
        let probability = self.right.unwrap_or(no_skill) / (self.skills + no_skill);
        -ln(probability.max(1e-6))
    }
}

/// Returns `sum - largest` as a number.
fn difference(sum: i32, largest: i32) -> f64 {
    (f64::from(sum) - f64::from(largest)) / f64::from(ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text whose classifiers sum to hundredths of 1.
    fn text(hundredths: &[i32], class: usize) -> HeldOutText {
        HeldOutText {
            sums: hundredths.iter().map(|sum| sum * (ONE / 100)).collect(),
            class,
            request: 0,
            is_removed: false,
        }
    }

    #[test]
    fn probabilities_are_a_distribution_in_the_order_of_the_sums() {
        let calibration = Calibration { sharpness: 3.0, no_skill_offset: 0.0 };
        let probabilities = calibration.probabilities(&text(&[40, -90, -20], 0).sums);
        assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(probabilities[2] < probabilities[0] && probabilities[1] < probabilities[2], "{probabilities:?}");
    }

    #[test]
    fn fitted_probabilities_agree_with_the_frequencies() {
        // Of texts with equal sums, three quarters belong to the first class.
        let texts: Vec<_> = (0..400).map(|index| text(&[10, -50, -60], usize::from(index % 4 == 0))).collect();
        let fitted = Calibration::fit(&texts).probabilities(&texts[0].sums);
        assert!((fitted[0] - 0.75).abs() < 0.05, "{fitted:?}");
        // No text belongs to "no skill".
        assert!(fitted[2] < 0.05, "{fitted:?}");
    }

    #[test]
    fn without_held_out_texts_the_default_applies() {
        assert_eq!(Calibration::fit(&[]), Calibration::default());
    }
}
