//! Calibration of the store: predicted against observed success, and confidence against the share of correct
//! recommendations.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    numbers::to_f64,
    trial::{ScoredRecommendation, Trial},
};

/// The least number of turns in a group whose mean gain is evaluated.
const MIN_GROUP_TURNS: usize = 20;

/// The calibration of the pattern store: its predictions compared with the observed outcomes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// The expected calibration error (ECE) of success: the mean difference between predictions and outcomes over bins,
    /// weighted by their size.
    pub success_error: f64,
    /// Predicted and observed success of all models on all turns.
    pub success: Vec<CalibrationBin>,
    /// By confidence, over turns on which the two compared models have different scores: the share in which the
    /// recommended model has the higher one.
    pub confidence: Vec<CalibrationBin>,
    /// By confidence, over groups of turns with the same two models: the share in which the recommended model is better
    /// on average.
    pub groups: Vec<CalibrationBin>,
    /// The mean predicted gain in utility of the recommended model over the other.
    pub expected_gain: f64,
    /// The mean observed gain in utility of the recommended model over the other.
    pub gain: f64,
}

impl Calibration {
    /// Computes the calibration of the store from its predictions in several trials, one for each draw.
    pub(crate) fn compute(trials: &[Trial<'_>]) -> Self {
        let successes: Vec<_> = trials.iter().flat_map(|trial| trial.successes.iter().copied()).collect();
        let recommendations: Vec<&ScoredRecommendation> =
            trials.iter().flat_map(|trial| &trial.recommendations).collect();
        let scored_recommendations = recommendations.iter().filter(|recommendation| recommendation.score_gain != 0.0);
        let correctness: Vec<_> = scored_recommendations
            .map(|recommendation| (recommendation.confidence, indicator(0.0 < recommendation.score_gain)))
            .collect();
        let groups: Vec<_> = trials.iter().flat_map(group_gains).collect();
        let success = calibration_bins(&successes);
        let count = to_f64(recommendations.len().max(1));
        Self {
            success_error: calibration_error(&success),
            success,
            confidence: calibration_bins(&correctness),
            groups: calibration_bins(&groups),
            expected_gain: recommendations.iter().map(|recommendation| recommendation.expected_gain).sum::<f64>()
                / count,
            gain: recommendations.iter().map(|recommendation| recommendation.gain).sum::<f64>() / count,
        }
    }
}

/// Groups the recommendations of a trial by the two compared models and by confidence. Returns, for each group, its
/// mean confidence, and 1 if its mean gain is positive, otherwise 0. Groups of fewer than [`MIN_GROUP_TURNS`] turns are
/// omitted.
fn group_gains(trial: &Trial<'_>) -> Vec<(f64, f64)> {
    let mut groups: BTreeMap<_, Vec<&ScoredRecommendation>> = BTreeMap::new();
    for recommendation in &trial.recommendations {
        groups.entry((recommendation.models, bin_index(recommendation.confidence))).or_default().push(recommendation);
    }
    let large_groups = groups.into_values().filter(|recommendations| MIN_GROUP_TURNS <= recommendations.len());
    let group = |recommendations: Vec<&ScoredRecommendation>| {
        let confidence = recommendations.iter().map(|recommendation| recommendation.confidence).sum::<f64>()
            / to_f64(recommendations.len());
        (confidence, indicator(0.0 < recommendations.iter().map(|recommendation| recommendation.gain).sum()))
    };
    large_groups.map(group).collect()
}

/// Converts a truth value to 1 or 0.
fn indicator(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// A bin of a calibration curve: the predictions in a range, compared with their outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// The number of predictions in this bin.
    pub count: usize,
    /// The mean of the predictions, from 0 to 1.
    pub predicted: f64,
    /// The mean of the observed outcomes, from 0 to 1.
    pub happened: f64,
}

/// Distributes pairs of prediction and outcome over ten bins of equal width from 0 to 1, by prediction. Empty bins are
/// omitted.
pub(crate) fn calibration_bins(pairs: &[(f64, f64)]) -> Vec<CalibrationBin> {
    let mut sums = [CalibrationBin { count: 0, predicted: 0.0, happened: 0.0 }; 10];
    for (predicted, happened) in pairs {
        let sum = &mut sums[bin_index(*predicted)];
        sum.count += 1;
        sum.predicted += predicted;
        sum.happened += happened;
    }
    let mean = |sum: CalibrationBin| CalibrationBin {
        count: sum.count,
        predicted: sum.predicted / to_f64(sum.count),
        happened: sum.happened / to_f64(sum.count),
    };
    sums.into_iter().filter(|sum| sum.count != 0).map(mean).collect()
}

/// Computes the expected calibration error: the mean difference between predictions and outcomes over bins, weighted by
/// their size.
pub(crate) fn calibration_error(bins: &[CalibrationBin]) -> f64 {
    let count_of_all: usize = bins.iter().map(|bin| bin.count).sum();
    let differences = bins.iter().map(|bin| to_f64(bin.count) * (bin.predicted - bin.happened).abs());
    differences.sum::<f64>() / to_f64(count_of_all.max(1))
}

/// Returns the index (0 to 9) of the interval of width 0.1 that contains a share from 0 to 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 9")]
fn bin_index(share: f64) -> usize {
    ((share * 10.0) as usize).min(9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_weighted_by_the_size_of_bins() {
        // Two predictions of 0.05 on average, one of which is true; two of 0.98, which are both true.
        let bins = calibration_bins(&[(0.04, 0.0), (0.06, 1.0), (1.0, 1.0), (0.96, 1.0)]);
        let sizes: Vec<_> = bins.iter().map(|bin| bin.count).collect();
        assert_eq!(sizes, [2, 2]);
        assert!((calibration_error(&bins) - f64::midpoint(0.45, 0.02)).abs() < 1e-12);
    }
}
