//! Which model acts on each turn at each weight of cost, and what that costs and achieves.

use crate::{data::Outcome, expected::Expected, forecast::Means, hull::Hull, number::number};

/// How many weights of cost are tried, from quality alone to cost alone.
pub(crate) const WEIGHTS: usize = 120;

/// The weight of cost where a policy says nothing.
pub(crate) const USUAL_WEIGHT: f64 = 0.05;

/// The weights of cost that are tried.
pub(crate) fn weights() -> Vec<f64> {
    (0..WEIGHTS).map(|step| number(step) / number(WEIGHTS - 1)).collect()
}

/// The model that acts at each weight.
pub(crate) type Choices = Vec<usize>;

/// The weights with the models that act where nothing is recommended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sweep(Vec<(f64, usize)>);

impl Sweep {
    /// Over these weights; by default the best single model of these means acts.
    pub(crate) fn over(weights: &[f64], means: &Means) -> Self {
        Self(weights.iter().map(|weight| (*weight, means.best(*weight))).collect())
    }

    /// Who acts on a turn, when `choose` says who is recommended at a weight.
    pub(crate) fn choices(&self, choose: impl Fn(f64) -> Option<usize>) -> Choices {
        self.0.iter().map(|(weight, baseline)| choose(*weight).unwrap_or(*baseline)).collect()
    }

    /// Who acts on a turn by what the store expects: its best model, and the one it recommends.
    pub(crate) fn advised(&self, expected: &mut Expected<'_>) -> [Choices; 2] {
        let both = self.0.iter().map(|(weight, baseline)| {
            let advice = expected.advice(*weight, *baseline);
            (advice.best.unwrap_or(*baseline), advice.recommended.unwrap_or(*baseline))
        });
        let (best, recommended) = both.unzip();
        [best, recommended]
    }
}

/// `(mean cost in dollars, mean score)` of many turns, at each weight.
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

/// Mean cost and score of each model acting on all of the turns.
pub(crate) fn singles(outcomes: &[&[Outcome]]) -> Vec<(f64, f64)> {
    let models = outcomes.first().map_or(0, |first| first.len());
    let same = vec![(0..models).collect::<Choices>(); outcomes.len()];
    curve(outcomes, &same)
}

/// The mean quality of a hull over all costs between the cheapest and the dearest single model: the AIQ.
pub(crate) fn aiq(hull: &Hull, singles: &[(f64, f64)]) -> f64 {
    let costs = || singles.iter().map(|single| single.0);
    hull.mean(costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max))
}
