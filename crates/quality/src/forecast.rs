//! What is expected of each model on a turn, and what follows at a given weight of cost.

use crate::{data::Set, split::Lesson};

/// What is expected of a model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Forecast {
    /// The share of success.
    pub(crate) success: f64,
    /// What part of the dearest model's cost is saved: at most 1.
    pub(crate) saved: f64,
    /// Outcomes of similar turns.
    pub(crate) samples: u64,
}

impl Forecast {
    /// Success and savings, weighed.
    pub(crate) fn utility(&self, cost_weight: f64) -> f64 {
        (1.0 - cost_weight) * self.success + cost_weight * self.saved
    }
}

/// The model of the highest utility, the first of equals.
pub(crate) fn best(forecasts: &[Option<Forecast>], cost_weight: f64) -> Option<usize> {
    let all = forecasts.iter().enumerate().filter_map(|(place, forecast)| Some((place, (*forecast)?)));
    let better = |best: Option<(usize, f64)>, (place, forecast): (usize, Forecast)| {
        let utility = forecast.utility(cost_weight);
        if best.is_some_and(|(_, highest)| utility <= highest) { best } else { Some((place, utility)) }
    };
    all.fold(None, better).map(|(place, _)| place)
}

/// The means of each model in what is known of the past.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Means {
    /// Score and cost of the models of which something is known.
    pub(crate) models: Vec<Option<(f64, f64)>>,
    dearest: f64,
}

impl Means {
    /// The means of lessons.
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
        let dearest = models.iter().flatten().map(|(_, cost)| *cost).fold(0.0, f64::max);
        Self { models, dearest }
    }

    /// What part of the dearest model's mean cost is saved; below 0 for a cost above that.
    pub(crate) fn saved(&self, cost: f64) -> f64 {
        if 0.0 < self.dearest { 1.0 - cost / self.dearest } else { 0.0 }
    }

    /// The best single model at a weight of cost: who acts when nothing is recommended.
    pub(crate) fn best(&self, cost_weight: f64) -> usize {
        let forecast = |(success, cost)| Forecast { success, saved: self.saved(cost), ..Forecast::default() };
        let forecasts: Vec<_> = self.models.iter().map(|known| known.map(forecast)).collect();
        best(&forecasts, cost_weight).unwrap_or(0)
    }
}
