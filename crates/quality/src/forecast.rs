//! Predicted outcomes, and the best model for a cost weight.

use crate::{data::Set, split::Lesson};

/// The predicted outcome of a model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Forecast {
    /// The predicted score, from 0 to 1.
    pub(crate) success: f64,
    /// `1 - cost / mean cost of the most expensive model`: at most 1.
    pub(crate) saved: f64,
    /// The number of scored turns that the prediction is based on.
    pub(crate) samples: u64,
}

impl Forecast {
    /// The weighted mean of success and savings.
    pub(crate) fn utility(&self, cost_weight: f64) -> f64 {
        (1.0 - cost_weight) * self.success + cost_weight * self.saved
    }
}

/// Returns the index of the model with the greatest utility, the first of several; `None` without forecasts.
pub(crate) fn best(forecasts: &[Option<Forecast>], cost_weight: f64) -> Option<usize> {
    let all = forecasts.iter().enumerate().filter_map(|(place, forecast)| Some((place, (*forecast)?)));
    let better = |best: Option<(usize, f64)>, (place, forecast): (usize, Forecast)| {
        let utility = forecast.utility(cost_weight);
        if best.is_some_and(|(_, highest)| utility <= highest) { best } else { Some((place, utility)) }
    };
    all.fold(None, better).map(|(place, _)| place)
}

/// The mean outcomes of each model in the training turns, the prediction without any features.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Means {
    /// Mean score and mean cost; `None` for models without outcomes.
    pub(crate) models: Vec<Option<(f64, f64)>>,
    highest_cost: f64,
}

impl Means {
    /// Computes the means over the training turns.
    pub(crate) fn of(set: &Set, lessons: &[Lesson]) -> Self {
        let mut sums = vec![(0.0, 0.0, 0.0); set.models.len()];
        for lesson in lessons {
            let all = set.turns[lesson.turn].outcomes.iter().zip(&mut sums).enumerate();
            for (_, (outcome, sums)) in all.filter(|(place, _)| lesson.knows(*place)) {
                *sums = (sums.0 + outcome.score, sums.1 + outcome.cost, sums.2 + 1.0);
            }
        }
        let known = |(score, cost, count): (f64, f64, f64)| (0.0 < count).then(|| (score / count, cost / count));
        let models: Vec<_> = sums.into_iter().map(known).collect();
        let highest_cost = models.iter().flatten().map(|(_, cost)| *cost).fold(0.0, f64::max);
        Self { models, highest_cost }
    }

    /// `1 - cost / mean cost of the most expensive model`; negative for a greater cost.
    pub(crate) fn saved(&self, cost: f64) -> f64 {
        if 0.0 < self.highest_cost { 1.0 - cost / self.highest_cost } else { 0.0 }
    }

    /// The best single model at a cost weight: the baseline without a recommendation.
    pub(crate) fn best(&self, cost_weight: f64) -> usize {
        let forecast = |(success, cost)| Forecast { success, saved: self.saved(cost), ..Forecast::default() };
        let forecasts: Vec<_> = self.models.iter().map(|known| known.map(forecast)).collect();
        best(&forecasts, cost_weight).unwrap_or(0)
    }
}
