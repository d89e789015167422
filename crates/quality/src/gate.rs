//! The thresholds of recommendations.

use contracts::{
    Score,
    views::{Estimator, PatternSettings},
};

use crate::{
    forecast::{Forecast, best},
    number::share,
};

/// The thresholds of an estimator, below which nothing is recommended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gate {
    confidence: Score,
    /// The least number of scored turns.
    pub(crate) samples: u64,
}

impl Gate {
    /// Returns the default thresholds of a policy.
    pub(crate) const fn of(estimator: Estimator) -> Self {
        let PatternSettings { min_confidence, min_sample_size, .. } = PatternSettings::of(estimator);
        Self { confidence: min_confidence, samples: min_sample_size }
    }

    /// Returns whether a recommendation with this confidence and number of samples passes.
    pub(crate) fn passes(&self, confidence: Score, samples: u64) -> bool {
        self.confidence <= confidence && self.samples <= samples
    }

    /// Returns the model that the formula of 004 recommends at a cost weight; `None` if it does not pass the
    /// thresholds. Its confidence is the relative lead of the best model over the second.
    pub(crate) fn leader(&self, forecasts: &[Option<Forecast>], weight: f64) -> Option<usize> {
        let top = best(forecasts, weight)?;
        let utility = |place: usize| forecasts[place].map(|forecast| forecast.utility(weight));
        let first = utility(top)?;
        let second = (0..forecasts.len()).filter(|place| *place != top).filter_map(utility).reduce(f64::max);
        let lead = match second {
            _ if first <= 0.0 => 0.0,
            None => 1.0,
            Some(second) => (first - second) / first,
        };
        let samples = forecasts[top].map_or(0, |forecast| forecast.samples);
        (share(self.confidence) <= lead && self.samples <= samples).then_some(top)
    }
}
