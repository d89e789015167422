//! The estimator [`Paper`](contracts::views::Estimator::Paper): unweighted means over the nearest rows of all models
//! (004 §5.5), in integers (decisions D20, D21, D25).
//!
//! ```text
//! success    = mean of all scores
//! efficiency = (highest mean cost - mean cost) / scale      scale: the range of mean costs, or the highest one
//! score      = (1 - cost weight) · success + cost weight · efficiency
//! confidence = (best score - second score) / best score
//! ```

use std::{cmp::Reverse, collections::BTreeMap};

use contracts::{
    Alternative, ModelId, Recommendation, Score,
    views::{CostScale, PatternSettings},
};

use crate::row::Row;

/// Exact sums over the outcomes of one model in the nearest rows. They do not depend on the order of the rows.
#[derive(Debug, Clone, Copy, Default)]
struct ModelSums {
    /// The number of turns with a score.
    scored: u64,
    /// The sum of those scores in billionths.
    score_sum: u128,
    /// The number of turns with a known cost.
    costed: u64,
    /// The sum of those costs in nano-dollars.
    cost_sum: u128,
}

/// A mean cost in nano-dollars with 32 fractional bits, so that equal means are equal numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MeanCost(u128);

impl ModelSums {
    /// Adds the scores and costs of one row to the sums.
    fn add(&mut self, row: &Row) {
        self.scored += u64::from(row.sums.scored);
        self.score_sum += u128::from(row.sums.score_sum);
        self.costed += u64::from(row.sums.costed);
        self.cost_sum += u128::from(row.sums.cost_sum.0);
    }

    /// Returns the mean score over all scored turns. Each row has a weight equal to the number of its scores. `None` if
    /// no score counts, which differs from a score of 0 (decision D21).
    fn success(&self) -> Option<Score> {
        let mean = self.score_sum.checked_div(u128::from(self.scored))?;
        // A mean of numbers up to 1 is at most 1.
        Some(u64::try_from(mean).map_or(Score::ONE, |mean| Score(mean).min(Score::ONE)))
    }

    /// Returns the mean of the known costs of turns; `None` if no cost is known.
    fn mean_cost(&self) -> Option<MeanCost> {
        // At most 65,535 rows of 64 bits each: 80 bits, to which 32 are added.
        (self.cost_sum << 32).checked_div(u128::from(self.costed)).map(MeanCost)
    }
}

/// The lowest and the highest mean cost over the models with a score.
struct CostRange {
    /// The mean cost of the cheapest model.
    lowest: MeanCost,
    /// The mean cost of the most expensive model.
    highest: MeanCost,
}

impl CostRange {
    /// Computes the range of mean costs over the models that have a score and a known cost; `None` if there is no such
    /// model.
    fn from_models(models: &BTreeMap<&ModelId, ModelSums>) -> Option<Self> {
        let costs = || models.values().filter(|sums| 0 < sums.scored).filter_map(ModelSums::mean_cost);
        Some(Self { lowest: costs().min()?, highest: costs().max()? })
    }

    /// Returns the cost efficiency of a model with the mean cost `cost`: its savings against the most expensive model,
    /// divided by the range of costs or the highest cost as `scale` selects. From 0 for the highest cost to 1; 0 if all
    /// costs are equal.
    fn efficiency(&self, cost: MeanCost, scale: CostScale) -> Score {
        let scale = match scale {
            CostScale::Cluster => self.highest.0.saturating_sub(self.lowest.0),
            CostScale::Relative => self.highest.0,
        };
        let savings = self.highest.0.saturating_sub(cost.0);
        // A mean has at most 64 + 32 bits, and a billion has 30.
        let billionths = (savings * u128::from(Score::ONE.0)).checked_div(scale).unwrap_or(0);
        u64::try_from(billionths).map_or(Score::ONE, |billionths| Score(billionths).min(Score::ONE))
    }
}

/// The rating of one model by [`Estimator::Paper`](contracts::views::Estimator::Paper), computed from its outcomes in
/// the nearest rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RatedModel {
    /// The model.
    pub(crate) model: ModelId,
    /// The mean of the counted scores of the model's turns; `None` if no score counts.
    pub(crate) success: Option<Score>,
    /// The savings relative to the most expensive model, from 0 to 1; 0 if the cost is unknown.
    pub(crate) efficiency: Score,
    /// The mean cost in nano-dollars; `None` if no cost is known.
    pub(crate) cost: Option<u64>,
    /// The mean of success and efficiency, weighted by the cost weight; `None` if no turn has a score.
    pub(crate) score: Option<Score>,
    /// The number of turns with a score.
    pub(crate) samples: u64,
}

/// Rates every model that occurs in `rows`, the nearest neighbours of a turn. Sorted in descending order of score, ties
/// by model id; models without a score are last. A model of unknown cost has an efficiency of 0.
pub(crate) fn rate_models<'a>(
    rows: impl Iterator<Item = (&'a ModelId, &'a Row)>,
    settings: &PatternSettings,
) -> Vec<RatedModel> {
    let mut models: BTreeMap<&ModelId, ModelSums> = BTreeMap::new();
    for (model, row) in rows {
        models.entry(model).or_default().add(row);
    }
    let range = CostRange::from_models(&models);
    let mut rated: Vec<_> = models
        .iter()
        .map(|(model, sums)| {
            let mean_cost = sums.mean_cost();
            let efficiency = match (&range, mean_cost) {
                (Some(range), Some(cost)) => range.efficiency(cost, settings.cost_scale),
                _ => Score::ZERO,
            };
            let success = sums.success();
            RatedModel {
                model: (*model).clone(),
                success,
                efficiency,
                cost: mean_cost.and_then(|cost| u64::try_from(cost.0 >> 32).ok()),
                score: success.map(|success| weighted_mean(success, efficiency, settings.cost_weight)),
                samples: sums.scored,
            }
        })
        .collect();
    // Stable, so ties are ordered by model id; `None` is less than any score.
    rated.sort_by_key(|rated| Reverse(rated.score));
    rated
}

/// Recommends the first of the `rated` models, which must be in descending order of score. `None` if no model has a
/// score.
pub(crate) fn recommendation(rated: &[RatedModel]) -> Option<Recommendation> {
    let winner = rated.first()?;
    let confidence = relative_lead(winner.score?, rated.get(1).and_then(|second| second.score));
    let alternatives = rated.iter().map(|rated| Alternative {
        model: rated.model.clone(),
        score: rated.score,
        samples: rated.samples,
    });
    let (model, samples) = (winner.model.clone(), winner.samples);
    Some(Recommendation { model, confidence, samples, alternatives: alternatives.collect() })
}

/// Returns the score of a model: `(1 - cost weight) · success + cost weight · efficiency`, rounded down once. A cost
/// weight above 1 counts as 1.
fn weighted_mean(success: Score, efficiency: Score, cost_weight: Score) -> Score {
    let weight = cost_weight.min(Score::ONE);
    let sum =
        u128::from(weight.complement().0) * u128::from(success.0) + u128::from(weight.0) * u128::from(efficiency.0);
    // A mean of two numbers up to 1.
    Score(u64::try_from(sum / u128::from(Score::ONE.0)).unwrap_or(Score::ONE.0))
}

/// Returns the confidence of a recommendation: `(best - second) / best`. It is 0 if the best score is 0, and otherwise
/// 1 if there is no second score.
fn relative_lead(best: Score, second: Option<Score>) -> Score {
    match second {
        Some(second) => Score::ratio(best.0.saturating_sub(second.0), best.0),
        None if best == Score::ZERO => Score::ZERO,
        None => Score::ONE,
    }
}
