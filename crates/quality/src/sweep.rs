//! The model selected for each turn at each cost weight, and the resulting cost and score.

use crate::{data::Outcome, expected::Expected, forecast::Means, hull::Hull, number::number};

/// The number of cost weights, from 0 (quality alone) to 1 (cost alone).
pub(crate) const WEIGHTS: usize = 120;

/// The default cost weight of a policy.
pub(crate) const USUAL_WEIGHT: f64 = 0.05;

/// Returns the cost weights of a sweep: [`WEIGHTS`] values from 0 to 1 at equal distances.
pub(crate) fn weights() -> Vec<f64> {
    (0..WEIGHTS).map(|step| number(step) / number(WEIGHTS - 1)).collect()
}

/// The index of the selected model at each cost weight.
pub(crate) type Choices = Vec<usize>;

/// The cost weights at which a router is evaluated, each with the baseline model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sweep(Vec<(f64, usize)>);

impl Sweep {
    /// Creates a sweep over cost weights, with the best single model as the baseline.
    pub(crate) fn over(weights: &[f64], means: &Means) -> Self {
        Self(weights.iter().map(|weight| (*weight, means.best(*weight))).collect())
    }

    /// The selected models for a turn: the recommendations of `choose`, otherwise the baseline.
    pub(crate) fn choices(&self, choose: impl Fn(f64) -> Option<usize>) -> Choices {
        self.0.iter().map(|(weight, baseline)| choose(*weight).unwrap_or(*baseline)).collect()
    }

    /// The selected models for a turn: the best ones by the estimates, and the recommended ones.
    pub(crate) fn advised(&self, expected: &mut Expected<'_>) -> [Choices; 2] {
        let both = self.0.iter().map(|(weight, baseline)| {
            let advice = expected.advice(*weight, *baseline);
            (advice.best.unwrap_or(*baseline), advice.recommended.unwrap_or(*baseline))
        });
        let (best, recommended) = both.unzip();
        [best, recommended]
    }
}

/// Returns `(mean cost in dollars, mean score)` over all turns for each cost weight.
pub(crate) fn curve(outcomes: &[&[Outcome]], choices: &[Choices]) -> Vec<(f64, f64)> {
    let mut points = vec![(0.0, 0.0); choices.first().map_or(0, Vec::len)];
    for (outcomes, choices) in outcomes.iter().zip(choices) {
        for (point, choice) in points.iter_mut().zip(choices) {
            point.0 += outcomes[*choice].cost;
            point.1 += outcomes[*choice].score;
        }
    }
    let turns = number(outcomes.len().max(1));
    points.into_iter().map(|(cost, score)| (cost / turns, score / turns)).collect()
}

/// Mean cost and mean score of each single model over all turns.
pub(crate) fn singles(outcomes: &[&[Outcome]]) -> Vec<(f64, f64)> {
    let models = outcomes.first().map_or(0, |first| first.len());
    let same = vec![(0..models).collect::<Choices>(); outcomes.len()];
    curve(outcomes, &same)
}

/// The average improvement in quality (AIQ): the mean of a hull over all costs from the cheapest to the most expensive
/// single model.
pub(crate) fn aiq(hull: &Hull, singles: &[(f64, f64)]) -> f64 {
    let costs = || singles.iter().map(|single| single.0);
    hull.mean(costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max))
}
