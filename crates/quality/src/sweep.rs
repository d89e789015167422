//! The models that a router selects at each cost weight, and the resulting mean cost and mean score.

use crate::{data::Outcome, forecast::Means, hull::Hull, numbers::to_f64, store_estimates::StoreEstimates};

/// The number of cost weights, from 0 (quality alone) to 1 (cost alone).
pub(crate) const WEIGHT_COUNT: usize = 120;

/// The default cost weight of a policy.
pub(crate) const DEFAULT_WEIGHT: f64 = 0.05;

/// Returns [`WEIGHT_COUNT`] equidistant cost weights from 0 to 1.
pub(crate) fn cost_weights() -> Vec<f64> {
    (0..WEIGHT_COUNT).map(|step| to_f64(step) / to_f64(WEIGHT_COUNT - 1)).collect()
}

/// The models selected for one turn: the index of the model at each cost weight.
pub(crate) type Choices = Vec<usize>;

/// The cost weights at which a router is evaluated, each with the index of its baseline model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WeightSweep(Vec<(f64, usize)>);

impl WeightSweep {
    /// Creates a sweep over cost weights. The baseline at each weight is the best single model according to `means`.
    pub(crate) fn new(weights: &[f64], means: &Means) -> Self {
        Self(weights.iter().map(|weight| (*weight, means.best_model(*weight))).collect())
    }

    /// Selects a model at each cost weight with `choose`, which is called with the weight. The baseline is selected
    /// where `choose` returns `None`.
    pub(crate) fn select_with(&self, choose: impl Fn(f64) -> Option<usize>) -> Choices {
        self.0.iter().map(|(weight, baseline)| choose(*weight).unwrap_or(*baseline)).collect()
    }

    /// Selects models at each cost weight in two ways: by the greatest estimated utility, and by recommendation. The
    /// baseline is selected where there is none.
    pub(crate) fn select_by_estimates(&self, estimates: &mut StoreEstimates<'_>) -> [Choices; 2] {
        let pairs = self.0.iter().map(|(weight, baseline)| {
            let selection = estimates.select(*weight, *baseline);
            (selection.best.unwrap_or(*baseline), selection.recommended.unwrap_or(*baseline))
        });
        let (best, recommended) = pairs.unzip();
        [best, recommended]
    }
}

/// Returns the mean cost (in dollars) and the mean score of a router's choices over all turns, for each cost weight.
pub(crate) fn cost_score_curve(outcomes: &[&[Outcome]], choices: &[Choices]) -> Vec<(f64, f64)> {
    let mut points = vec![(0.0, 0.0); choices.first().map_or(0, Vec::len)];
    for (outcomes, choices) in outcomes.iter().zip(choices) {
        for (point, choice) in points.iter_mut().zip(choices) {
            point.0 += outcomes[*choice].cost;
            point.1 += outcomes[*choice].score;
        }
    }
    let turns = to_f64(outcomes.len().max(1));
    points.into_iter().map(|(cost, score)| (cost / turns, score / turns)).collect()
}

/// Returns the mean cost (in dollars) and the mean score over all turns of each model, if it is used for all of them.
pub(crate) fn single_model_points(outcomes: &[&[Outcome]]) -> Vec<(f64, f64)> {
    let models = outcomes.first().map_or(0, |first| first.len());
    let same = vec![(0..models).collect::<Choices>(); outcomes.len()];
    cost_score_curve(outcomes, &same)
}

/// Computes the average improvement in quality (AIQ): the mean height of a router's hull over all costs from the
/// cheapest to the most expensive single model.
pub(crate) fn aiq(hull: &Hull, single_models: &[(f64, f64)]) -> f64 {
    let costs = || single_models.iter().map(|single| single.0);
    hull.mean_quality(costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max))
}
