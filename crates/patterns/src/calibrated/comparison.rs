//! Selection of the recommended model from estimates, with a confidence.
//!
//! The best of many estimates is probably too high, the more so the more models there are and the fewer outcomes they
//! have (the winner's curse). With `m` models and the standard errors of two of them,
//!
//! ```text
//! error       = sqrt(error₁² + error₂²) · sqrt(log2 m)
//! lower bound = utility - utility of the baseline - 0.8 · error     the model with the greatest one is recommended
//! confidence  = Φ(|difference in utility| / error)                   the probability that the difference is real
//! ```

use std::cmp::Reverse;

use contracts::{Alternative, ModelId, Recommendation, Score};

use super::Estimate;
use crate::{fixed::Log2, normal::probability_above_zero};

/// The multiple of the error, in tenths, that is subtracted for the lower bound: 0.8.
const MARGIN_TENTHS: i64 = 8;

/// Recommends a model to use in place of the `baseline` model. Candidates are the models with a greater utility than
/// the baseline and at least `min_outcomes` outcomes; the one with the greatest lower bound is selected. Without a
/// candidate or without a baseline, the model of the greatest utility is selected. `None` if `estimates` is empty.
///
/// `estimates` must be in descending order of utility. The confidence is the probability that the selected model is
/// better than the baseline, or than the second-best model if the baseline is the best or `None`. It is 0 if one of the
/// compared models has fewer than `min_outcomes` outcomes or if the baseline has no estimate, and 1 for a single model
/// without a baseline.
pub fn recommendation(estimates: &[Estimate], baseline: Option<&ModelId>, min_outcomes: u64) -> Option<Recommendation> {
    let best = estimates.first()?;
    let has_enough = |estimate: &Estimate| min_outcomes <= u64::from(estimate.outcomes);
    let baseline = baseline.map(|model| estimates.iter().find(|estimate| estimate.model == *model));
    let correction = ErrorCorrection::new(estimates.len());
    let (chosen, other) = match baseline {
        Some(Some(baseline)) if baseline.utility < best.utility => {
            let better =
                estimates.iter().filter(|estimate| baseline.utility < estimate.utility && has_enough(estimate));
            let bound =
                |estimate: &&Estimate| (correction.lower_bound(estimate, baseline), Reverse(estimate.model.clone()));
            (better.max_by_key(bound).unwrap_or(best), Some(baseline))
        }
        // The baseline has no outcomes.
        Some(None) => (best, None),
        _ => (best, estimates.get(1)),
    };
    let confidence = match other {
        Some(other) if has_enough(chosen) && has_enough(other) => {
            probability_above_zero(chosen.utility.abs_diff(other.utility), correction.difference_error(chosen, other))
        }
        None if baseline.is_none() && has_enough(chosen) => Score::ONE,
        _ => Score::ZERO,
    };
    let rest = estimates.iter().filter(|estimate| estimate.model != chosen.model);
    let alternatives = std::iter::once(chosen).chain(rest).map(|estimate| Alternative {
        model: estimate.model.clone(),
        score: Some(estimate.score()),
        samples: estimate.samples,
    });
    let (model, samples) = (chosen.model.clone(), chosen.samples);
    Some(Recommendation { model, confidence, samples, alternatives: alternatives.collect() })
}

/// A correction for multiple comparisons: the factor by which standard errors are widened, which increases with the
/// number of compared models.
struct ErrorCorrection {
    /// The factor `sqrt(log2 m)` for `m` models, with 8 fractional bits: 1 for two models.
    scale: u64,
}

impl ErrorCorrection {
    /// Creates the correction for a comparison of `models` models.
    fn new(models: usize) -> Self {
        Self { scale: (u64::from(Log2::from_integer(models as u64).0) << 8).isqrt() }
    }

    /// Returns the corrected standard error of the difference between the utilities of two models, in billionths.
    fn difference_error(&self, left: &Estimate, right: &Estimate) -> u64 {
        // The error of an expensive model may exceed 32 bits.
        let squares = [left, right].map(|estimate| u128::from(estimate.standard_error.0).pow(2));
        let error = (squares[0] + squares[1]).isqrt() * u128::from(self.scale);
        u64::try_from(error >> 8).unwrap_or(u64::MAX)
    }

    /// Returns the lower bound of the difference in utility between a model and the baseline, in billionths: the
    /// difference less [`MARGIN_TENTHS`] of its standard error.
    fn lower_bound(&self, estimate: &Estimate, baseline: &Estimate) -> i64 {
        let error = i64::try_from(self.difference_error(estimate, baseline)).unwrap_or(i64::MAX / 10);
        estimate.utility - baseline.utility - error * MARGIN_TENTHS / 10
    }
}
