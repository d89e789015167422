//! Predicted outcomes of models, and the selection of the best model at a cost weight.

use crate::{data::PromptSet, split::TrainingTurn};

/// The predicted outcome of a model on a turn: score and savings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Forecast {
    /// The predicted score, from 0 to 1.
    pub(crate) success: f64,
    /// The savings: `1 - cost / mean cost of the most expensive model`, at most 1.
    pub(crate) saved: f64,
    /// The number of scored turns among the neighbours.
    pub(crate) samples: u64,
}

impl Forecast {
    /// Returns the utility of the model at a cost weight from 0 to 1: the mean of success and savings, where savings
    /// have this weight.
    pub(crate) fn utility(&self, cost_weight: f64) -> f64 {
        (1.0 - cost_weight) * self.success + cost_weight * self.saved
    }
}

/// Returns the index of the model with the greatest utility, the first in a tie; `None` without forecasts.
pub(crate) fn best_index(forecasts: &[Option<Forecast>], cost_weight: f64) -> Option<usize> {
    let known_forecasts = forecasts.iter().enumerate().filter_map(|(index, forecast)| Some((index, (*forecast)?)));
    let better = |best: Option<(usize, f64)>, (index, forecast): (usize, Forecast)| {
        let utility = forecast.utility(cost_weight);
        if best.is_some_and(|(_, highest)| utility <= highest) { best } else { Some((index, utility)) }
    };
    known_forecasts.fold(None, better).map(|(index, _)| index)
}

/// The mean outcomes of each model in the training turns: a prediction that uses no features.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Means {
    /// Mean score and mean cost (in dollars) of each model; `None` for models without outcomes.
    pub(crate) models: Vec<Option<(f64, f64)>>,
    /// The highest mean cost of a model, in dollars.
    highest_cost: f64,
}

/// The sums over the known outcomes of one model.
#[derive(Debug, Clone, Copy, Default)]
struct OutcomeSums {
    /// The sum of the scores.
    score: f64,
    /// The sum of the costs, in dollars.
    cost: f64,
    /// The number of outcomes.
    count: f64,
}

impl Means {
    /// Computes the means over the known outcomes of training turns.
    pub(crate) fn compute(set: &PromptSet, training: &[TrainingTurn]) -> Self {
        let mut sums = vec![OutcomeSums::default(); set.models.len()];
        for turn in training {
            let numbered_outcomes = set.turns[turn.index].outcomes.iter().zip(&mut sums).enumerate();
            for (_, (outcome, sums)) in numbered_outcomes.filter(|(index, _)| turn.has_outcome_of(*index)) {
                sums.score += outcome.score;
                sums.cost += outcome.cost;
                sums.count += 1.0;
            }
        }
        let means = |sums: OutcomeSums| (0.0 < sums.count).then(|| (sums.score / sums.count, sums.cost / sums.count));
        let models: Vec<_> = sums.into_iter().map(means).collect();
        let highest_cost = models.iter().flatten().map(|(_, cost)| *cost).fold(0.0, f64::max);
        Self { models, highest_cost }
    }

    /// Returns the savings of a call that costs `cost` dollars: `1 - cost / mean cost of the most expensive model`.
    /// Negative for a greater cost.
    pub(crate) fn saved(&self, cost: f64) -> f64 {
        if 0.0 < self.highest_cost { 1.0 - cost / self.highest_cost } else { 0.0 }
    }

    /// Returns the index of the best single model at a cost weight, which is used if there is no recommendation.
    pub(crate) fn best_model(&self, cost_weight: f64) -> usize {
        let forecast = |(success, cost)| Forecast { success, saved: self.saved(cost), ..Forecast::default() };
        let forecasts: Vec<_> = self.models.iter().map(|known| known.map(forecast)).collect();
        best_index(&forecasts, cost_weight).unwrap_or(0)
    }
}
