//! The thresholds that a recommendation must reach to be used.

use contracts::{
    Score,
    views::{Estimator, PatternSettings},
};

use crate::{
    forecast::{Forecast, best_index},
    numbers::score_to_f64,
};

/// The thresholds of an estimator, below which no model is recommended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thresholds {
    /// The least confidence of a recommendation.
    confidence: Score,
    /// The least number of scored turns behind a recommendation.
    pub(crate) samples: u64,
}

impl Thresholds {
    /// Returns the default thresholds of a routing policy for an estimator.
    pub(crate) const fn defaults(estimator: Estimator) -> Self {
        let PatternSettings { min_confidence, min_sample_size, .. } = PatternSettings::defaults_for(estimator);
        Self { confidence: min_confidence, samples: min_sample_size }
    }

    /// Whether a recommendation with this confidence and number of samples reaches both thresholds.
    pub(crate) fn passes(&self, confidence: Score, samples: u64) -> bool {
        self.confidence <= confidence && self.samples <= samples
    }

    /// Returns the index of the model with the greatest utility at a cost weight; `None` if it does not reach the
    /// thresholds. As in the estimator `Paper`, the confidence is the lead of the best model over the second, relative
    /// to the best.
    pub(crate) fn recommend(&self, forecasts: &[Option<Forecast>], weight: f64) -> Option<usize> {
        let best = best_index(forecasts, weight)?;
        let utility = |index: usize| forecasts[index].map(|forecast| forecast.utility(weight));
        let best_utility = utility(best)?;
        let second_utility = (0..forecasts.len()).filter(|index| *index != best).filter_map(utility).reduce(f64::max);
        let lead = match second_utility {
            _ if best_utility <= 0.0 => 0.0,
            None => 1.0,
            Some(second_utility) => (best_utility - second_utility) / best_utility,
        };
        let samples = forecasts[best].map_or(0, |forecast| forecast.samples);
        (score_to_f64(self.confidence) <= lead && self.samples <= samples).then_some(best)
    }
}
