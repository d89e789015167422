//! The estimates of the pattern store for a turn, which can be ranked at any cost weight without another search.

use contracts::{ModelId, Recommendation, Score, views::Estimator};
use patterns::{Estimate, rank_by_utility};

use crate::{
    numbers::{billionths, score_to_f64},
    thresholds::Thresholds,
};

/// The default thresholds of the calibrated estimator.
const THRESHOLDS: Thresholds = Thresholds::defaults(Estimator::Calibrated);

/// The calibrated estimates of the store for one turn. They are ranked again for each cost weight.
#[derive(Debug)]
pub(crate) struct StoreEstimates<'a> {
    /// The models of the set, in its order, which is ascending.
    models: &'a [ModelId],
    /// The estimates of the models that have outcomes.
    estimates: Vec<Estimate>,
}

/// The models that the store selects for a turn at one cost weight, as indices of the set's models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoreSelection {
    /// The model with the greatest utility; `None` without estimates.
    pub(crate) best: Option<usize>,
    /// The recommended model; `None` if the recommendation does not pass the thresholds.
    pub(crate) recommended: Option<usize>,
}

/// A comparison of the recommended model with the model that would be used otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RecommendationComparison {
    /// The index of the recommended model.
    pub(crate) model: usize,
    /// The index of the baseline, or of the second-best model if the baseline is recommended.
    pub(crate) other: usize,
    /// The predicted difference in utility, at least 0.
    pub(crate) gap: f64,
    /// The confidence of the recommendation, from 0 to 1.
    pub(crate) confidence: f64,
}

impl<'a> StoreEstimates<'a> {
    /// Creates the estimates for a turn; `models` are the models of the set, in ascending order.
    pub(crate) const fn new(models: &'a [ModelId], estimates: Vec<Estimate>) -> Self {
        Self { models, estimates }
    }

    /// Selects models at a cost weight, and sorts the estimates by utility at that weight. `baseline` is the index of
    /// the model that is used without a recommendation.
    pub(crate) fn select(&mut self, weight: f64, baseline: usize) -> StoreSelection {
        let recommendation = self.rank_and_recommend(weight, baseline);
        let accepted_recommendation = recommendation
            .filter(|recommendation| THRESHOLDS.passes(recommendation.confidence, recommendation.samples));
        StoreSelection {
            best: self.estimates.first().and_then(|best| self.index_of(&best.model)),
            recommended: accepted_recommendation.and_then(|recommendation| self.index_of(&recommendation.model)),
        }
    }

    /// Compares the recommended model at a cost weight with the baseline, or with the second-best model if the baseline
    /// is recommended. Thresholds are not applied. `None` without a recommendation, or if the baseline has no estimate.
    pub(crate) fn compare(&mut self, weight: f64, baseline: usize) -> Option<RecommendationComparison> {
        let recommendation = self.rank_and_recommend(weight, baseline)?;
        let baseline_model = self.models.get(baseline)?;
        let recommended_estimate = self.estimates.iter().find(|estimate| estimate.model == recommendation.model)?;
        let mut other_estimates = self.estimates.iter().filter(|estimate| estimate.model != recommendation.model);
        let compared_estimate = match self.estimates.iter().find(|estimate| estimate.model == *baseline_model)? {
            baseline_estimate if baseline_estimate.model != recommendation.model => baseline_estimate,
            _ => other_estimates.next()?,
        };
        Some(RecommendationComparison {
            model: self.index_of(&recommended_estimate.model)?,
            other: self.index_of(&compared_estimate.model)?,
            gap: score_to_f64(Score(recommended_estimate.utility.abs_diff(compared_estimate.utility))),
            confidence: score_to_f64(recommendation.confidence),
        })
    }

    /// Returns the predicted score of each model of the set; `None` for models without outcomes.
    pub(crate) fn successes(&self) -> Vec<Option<f64>> {
        let mut successes = vec![None; self.models.len()];
        for estimate in &self.estimates {
            if let Some(index) = self.index_of(&estimate.model) {
                successes[index] = Some(score_to_f64(estimate.success));
            }
        }
        successes
    }

    /// Sorts the estimates by utility at a cost weight, and returns the model recommended in place of the baseline;
    /// `None` without estimates.
    fn rank_and_recommend(&mut self, weight: f64, baseline: usize) -> Option<Recommendation> {
        rank_by_utility(&mut self.estimates, Score(billionths(weight)));
        patterns::recommendation(&self.estimates, self.models.get(baseline), THRESHOLDS.samples)
    }

    /// Returns the index of a model in the set; `None` if the set does not contain the model.
    fn index_of(&self, model: &ModelId) -> Option<usize> {
        self.models.binary_search(model).ok()
    }
}
