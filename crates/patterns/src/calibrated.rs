//! The calibrated estimator: the expected success and cost of each model on a turn, with a standard error.
//!
//! With `w = similarity²` of each neighbour, `s` its mean score, `c` its mean cost and `n` the scored turns among the
//! neighbours, for each model:
//!
//! ```text
//! adjustment = (Σ w s / Σ w - mean) · n / (n + 20)          shrunk towards the model's posterior mean
//! success    = mean + (adjustment + regression) / 2          regression: see `regression`
//! cost       = mean cost + (Σ w c / Σ w - mean cost) · n / (n + 20)
//! savings    = 1 - cost / mean cost of the most expensive model
//! utility    = (1 - cost weight) · success + cost weight · savings
//! error²     = ((1 - cost weight)² · var(score) + cost weight² · var(savings)) / (outcomes + 1)
//! ```
//!
//! Shrinkage limits the influence of a few lucky neighbours. The recommended model and its confidence are computed
//! in [`comparison`].

mod comparison;

use std::cmp::Reverse;

use contracts::{ModelId, Score, Sketch, views::PatternSettings};

pub use self::comparison::recommendation;
use crate::{
    Store,
    fixed::{Fixed, Q20},
    regression::RegressionInput,
    search::{SearchBuffers, SearchQuery},
    search_index::ModelIndex,
    space::PointQuery,
};

/// The weight of the model's mean when it is averaged with the mean of its neighbours, as a number of neighbours.
const PRIOR_NEIGHBOURS: i64 = 20;

/// The limit of a model's cost variance, in billionths of the square of the most expensive model's mean cost: a
/// thousand times that square.
const MAX_COST_VARIANCE: u64 = 1_000_000_000_000;

/// The limit of an expected cost, in multiples of the most expensive model's mean cost.
const MAX_RELATIVE_COST: i128 = 100;

/// The expected outcome of one model on a turn, with its standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// The model.
    pub model: ModelId,
    /// The expected score.
    pub success: Score,
    /// The posterior mean of the model's scores in the workspace: shrunk towards the mean of all models.
    pub mean: Score,
    /// The part of `success - mean` that is due to neighbours, in billionths.
    pub from_neighbours: i64,
    /// The part of `success - mean` that is due to the regression on words and structure, in billionths.
    pub from_regression: i64,
    /// The expected cost in nano-dollars; `None` if no cost of the model is known.
    pub cost: Option<u64>,
    /// `1 - cost / mean cost of the most expensive model` in billionths; negative for a turn that costs more than that.
    pub savings: i64,
    /// The number of scored turns among the neighbours.
    pub samples: u64,
    /// The number of scored turns of the model in the workspace.
    pub outcomes: u32,
    /// The mean of success and savings, weighted by the cost weight, in billionths: at most one billion, negative for
    /// an expensive turn.
    pub utility: i64,
    /// The standard error of the utility due to the uncertainty of the model's means.
    pub standard_error: Score,
    /// The variance of one score of the model.
    score_variance: Score,
    /// The variance of the model's cost, in billionths of the square of the most expensive model's mean cost.
    cost_variance: u64,
}

/// Sums over the nearest rows of one model. Each turn is weighted by the square of its row's similarity, with 20
/// fractional bits.
#[derive(Debug, Default)]
struct NeighbourSums {
    /// The number of scored turns, not weighted.
    samples: u64,
    /// The sum of the weights of scored turns.
    score_weight: u128,
    /// The weighted sum of scores, in billionths.
    scores: u128,
    /// The sum of the weights of turns with a known cost.
    cost_weight: u128,
    /// The weighted sum of costs, in nano-dollars.
    costs: u128,
}

impl Store {
    /// Estimates the outcome of every allowed model that has a score, in descending order of utility. `sketch` is that
    /// of the turn's message; `buffers` contains the allowed models.
    ///
    /// Takes time in proportion to the scored rows of these models and the tokens of the message.
    pub(crate) fn estimate_models(
        &self,
        query: &SearchQuery<'_>,
        sketch: &Sketch,
        settings: &PatternSettings,
        buffers: &SearchBuffers,
    ) -> Vec<Estimate> {
        let point_query = query.point_query(settings);
        let scored_models = || {
            let numbered = self.index.models.iter().enumerate().zip(&self.models);
            numbered.filter(|((number, index), _)| {
                buffers.allows(u32::try_from(*number).unwrap_or(u32::MAX)) && 0 < index.sums.scored
            })
        };
        let common_mean = self.index.common_mean();
        let highest_cost = scored_models().filter_map(|((_, index), _)| index.sums.mean_cost()).max();
        let input = RegressionInput::new(&self.space, sketch, &query.point.structure);
        let mut estimates: Vec<_> = scored_models()
            .map(|((number, index), model)| {
                let neighbours = self.neighbour_sums(number, &point_query, settings, buffers);
                let regression = index.regression.predict(&input);
                neighbours.estimate(model, index, regression, common_mean).with_savings(index, highest_cost)
            })
            .collect();
        rank_by_utility(&mut estimates, settings.cost_weight);
        estimates
    }

    /// Sums the outcomes of a model in its nearest rows, until these have `settings.neighbours` scored turns. `model`
    /// is the index of the model in the store. All sums are 0 if no scored row is similar enough.
    fn neighbour_sums(
        &self,
        model: usize,
        query: &PointQuery,
        settings: &PatternSettings,
        buffers: &SearchBuffers,
    ) -> NeighbourSums {
        let mut sums = NeighbourSums::default();
        let number = u32::try_from(model).unwrap_or(u32::MAX);
        let mut nearest = self.nearest_of_model(model, query, settings, buffers);
        for candidate in nearest.sorted() {
            // `neighbours` limits turns; one row may have several.
            if u64::from(settings.neighbours) <= sums.samples {
                break;
            }
            let Some(row) = self.fingerprints.get(candidate.index()).and_then(|found| found.row(number)) else {
                continue;
            };
            // With 20 fractional bits.
            let weight = u128::from(candidate.similarity().0.unsigned_abs().pow(2) >> 10).max(1);
            let (scored, costed) = (u128::from(row.sums.scored), u128::from(row.sums.costed));
            sums.samples += u64::from(row.sums.scored);
            sums.score_weight += weight * scored;
            sums.scores += weight * u128::from(row.sums.score_sum);
            sums.cost_weight += weight * costed;
            sums.costs += weight * u128::from(row.sums.cost_sum.0);
        }
        sums
    }
}

impl NeighbourSums {
    /// Estimates success and cost of `model` on the turn. `regression` is the difference between success and the
    /// model's mean that the regression predicts; `common_mean` is the mean score of all models. Savings, utility,
    /// standard error and cost variance are 0 until the caller computes them.
    fn estimate(&self, model: &ModelId, index: &ModelIndex, regression: Q20, common_mean: Q20) -> Estimate {
        let mean = index.posterior_mean(common_mean);
        let adjustment = self.adjustment(mean);
        let success = (mean.0 + i64::midpoint(adjustment.0, regression.0)).clamp(0, Q20::ONE.0);
        Estimate {
            model: model.clone(),
            success: Fixed::<20>(success).to_score(),
            mean: mean.to_score(),
            from_neighbours: half_in_billionths(adjustment),
            from_regression: half_in_billionths(regression),
            cost: self.cost(index),
            savings: 0,
            samples: self.samples,
            outcomes: index.sums.scored,
            utility: 0,
            standard_error: Score::ZERO,
            score_variance: index.sums.score_variance(),
            cost_variance: 0,
        }
    }

    /// Returns the difference between the weighted mean score of the neighbours and the model's `mean`, shrunk towards
    /// 0; 0 without scored neighbours.
    fn adjustment(&self, mean: Q20) -> Q20 {
        let neighbours_mean = (self.scores << 20).checked_div(self.score_weight * 1_000_000_000);
        let difference = neighbours_mean.and_then(|own| i64::try_from(own).ok()).map_or(0, |own| own - mean.0);
        let samples = i64::try_from(self.samples).unwrap_or(i64::MAX / 2);
        Fixed(difference * samples / (samples + PRIOR_NEIGHBOURS))
    }

    /// Returns the expected cost in nano-dollars: the weighted mean cost of the neighbours, shrunk towards the model's
    /// mean cost. `None` if no cost of the model is known.
    fn cost(&self, index: &ModelIndex) -> Option<u64> {
        let mean = i128::from(index.sums.mean_cost()?);
        let neighbours_mean = self.costs.checked_div(self.cost_weight).and_then(|own| i128::try_from(own).ok());
        let difference = neighbours_mean.unwrap_or(mean) - mean;
        let samples = i128::from(self.samples);
        u64::try_from((mean + difference * samples / (samples + i128::from(PRIOR_NEIGHBOURS))).max(0)).ok()
    }
}

/// Returns half of a fixed-point number in billionths: neighbours and regression contribute one half each to the
/// expected score.
fn half_in_billionths(number: Q20) -> i64 {
    i64::try_from(i128::from(number.0) * 500_000_000 / i128::from(Q20::ONE.0)).unwrap_or_default()
}

impl Estimate {
    /// Returns the utility as a score; 0 if the utility is negative.
    pub fn score(&self) -> Score {
        Score(u64::try_from(self.utility).unwrap_or(0))
    }

    /// Sets the savings and the cost variance relative to `highest_cost`, the highest mean cost of all models in
    /// nano-dollars. Both are 0 if that is `None`; the savings are also 0 for a model of unknown cost.
    fn with_savings(mut self, index: &ModelIndex, highest_cost: Option<u64>) -> Self {
        let highest_cost = highest_cost.unwrap_or_default();
        let one = i128::from(Score::ONE.0);
        let savings = self.cost.map_or(0, |cost| {
            let difference = i128::from(highest_cost) - i128::from(cost);
            let savings = (difference * one).checked_div(i128::from(highest_cost)).unwrap_or(0);
            savings.clamp(-MAX_RELATIVE_COST * one, one)
        });
        self.savings = i64::try_from(savings).unwrap_or_default();
        let scale = u128::from(highest_cost).pow(2);
        let variance = index.sums.cost_variance().saturating_mul(1_000_000_000).checked_div(scale).unwrap_or(0);
        self.cost_variance = u64::try_from(variance).unwrap_or(u64::MAX).min(MAX_COST_VARIANCE);
        self
    }

    /// Computes utility and standard error from success and savings; `cost_weight` is the weight of savings, and
    /// weights above 1 count as 1.
    fn set_utility(&mut self, cost_weight: Score) {
        let one = i128::from(Score::ONE.0);
        let cost_weight = cost_weight.min(Score::ONE);
        let success_weight = cost_weight.complement();
        let utility = i128::from(success_weight.0) * i128::from(self.success.0)
            + i128::from(cost_weight.0) * i128::from(self.savings);
        // Between -100 and 1, in billionths.
        self.utility = i64::try_from(utility / one).unwrap_or_default();
        let score_part = u128::from(success_weight.times(success_weight).times(self.score_variance).0);
        let cost_part =
            u128::from(self.cost_variance) * u128::from(cost_weight.times(cost_weight).0) / u128::from(Score::ONE.0);
        let variance = (score_part + cost_part) * u128::from(Score::ONE.0) / (u128::from(self.outcomes) + 1);
        self.standard_error = Score(u64::try_from(variance.isqrt()).unwrap_or(Score::ONE.0));
    }
}

/// Computes the utility of each estimate for a cost weight, and sorts by it in descending order; ties by model id.
pub fn rank_by_utility(estimates: &mut [Estimate], cost_weight: Score) {
    for estimate in estimates.iter_mut() {
        estimate.set_utility(cost_weight);
    }
    let rank = |estimate: &Estimate| Reverse(estimate.utility);
    estimates.sort_by(|left, right| (rank(left), &left.model).cmp(&(rank(right), &right.model)));
}
