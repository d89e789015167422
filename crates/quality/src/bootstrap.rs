//! Bootstrap confidence intervals for the difference between two routers: test turns are resampled with replacement.

use serde::Serialize;

use crate::{
    data::Outcome,
    hash::Random,
    hull::Hull,
    number::number,
    sweep::{Choices, aiq},
};

/// The number of resamples.
pub(crate) const RESAMPLES: usize = 1_000;

/// The seed of the resamples.
const SEED: u64 = 5;

/// A difference in AIQ with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Margin {
    /// The difference on all test turns.
    pub difference: f64,
    /// The 2.5th percentile of the resamples.
    pub low: f64,
    /// The 97.5th percentile of the resamples.
    pub high: f64,
}

impl Margin {
    /// Returns `win`, `loss` or `no difference shown`, depending on whether the interval excludes 0.
    pub(crate) const fn verdict(&self) -> &'static str {
        if 0.0 < self.low {
            "win"
        } else if self.high < 0.0 {
            "loss"
        } else {
            "no difference shown"
        }
    }
}

/// Cost and score of each turn (row) at each cost weight (column), so that a resample is a weighted sum of rows.
#[derive(Debug)]
struct Matrix {
    width: usize,
    cells: Vec<f64>,
}

impl Matrix {
    fn of(outcomes: &[&[Outcome]], choices: impl Fn(usize) -> Choices) -> Self {
        let mut cells = Vec::new();
        for (turn, outcomes) in outcomes.iter().enumerate() {
            let choices = choices(turn);
            cells.extend(choices.iter().map(|choice| outcomes[*choice].cost));
            cells.extend(choices.iter().map(|choice| outcomes[*choice].score));
        }
        Self { width: cells.len() / outcomes.len().max(1), cells }
    }

    /// Returns `(mean cost, mean score)` for each cost weight, if each turn occurs as often as `times` states.
    fn points(&self, times: &[u32]) -> Vec<(f64, f64)> {
        let mut sums = vec![0.0; self.width];
        for (row, times) in self.cells.chunks_exact(self.width.max(1)).zip(times).filter(|(_, times)| **times != 0) {
            let times = f64::from(*times);
            for (sum, cell) in sums.iter_mut().zip(row) {
                *sum += times * cell;
            }
        }
        let turns = number(times.len().max(1));
        let (costs, scores) = sums.split_at(self.width / 2);
        costs.iter().zip(scores).map(|(cost, score)| (cost / turns, score / turns)).collect()
    }
}

/// Computes the differences in AIQ between pairs of routers, all on the same resamples. `pairs` are indices of
/// `routers`.
pub(crate) fn margins(outcomes: &[&[Outcome]], routers: &[&[Choices]], pairs: &[(usize, usize)]) -> Vec<Margin> {
    let models = outcomes.first().map_or(0, |first| first.len());
    let singles = Matrix::of(outcomes, |_| (0..models).collect());
    let matrices: Vec<_> = routers
        .iter()
        .map(|choices| {
            let distinct = distinct(choices);
            Matrix::of(outcomes, |turn| distinct.iter().map(|weight| choices[turn][*weight]).collect())
        })
        .collect();
    let differences = |times: &[u32]| {
        let singles = singles.points(times);
        let figure = |matrix: &Matrix| aiq(&Hull::of(matrix.points(times)), &singles);
        let figures: Vec<f64> = matrices.iter().map(figure).collect();
        pairs.iter().map(|(one, other)| figures[*one] - figures[*other]).collect::<Vec<_>>()
    };
    let real = differences(&vec![1; outcomes.len()]);
    let mut random = Random(SEED);
    let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(RESAMPLES); pairs.len()];
    for _ in 0..RESAMPLES {
        let mut times = vec![0; outcomes.len()];
        for _ in 0..outcomes.len() {
            times[random.below(outcomes.len())] += 1;
        }
        for (drawn, difference) in drawn.iter_mut().zip(differences(&times)) {
            drawn.push(difference);
        }
    }
    let margin = |(difference, mut drawn): (f64, Vec<f64>)| {
        drawn.sort_by(f64::total_cmp);
        let at = |place: usize| drawn.get(place).copied().unwrap_or(difference);
        Margin { difference, low: at(RESAMPLES / 40), high: at(RESAMPLES - 1 - RESAMPLES / 40) }
    };
    real.into_iter().zip(drawn).map(margin).collect()
}

/// The cost weights at which any turn goes to another model than at the previous weight; others add no point to a hull.
fn distinct(choices: &[Choices]) -> Vec<usize> {
    let weights = 0..choices.first().map_or(0, Vec::len);
    weights.filter(|weight| *weight == 0 || choices.iter().any(|turn| turn[*weight] != turn[*weight - 1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_better_router_wins_and_an_equal_one_does_not() {
        let outcome = |score, cost| Outcome { score, cost };
        let turns = [[outcome(1.0, 1.0), outcome(0.0, 2.0)], [outcome(0.0, 1.0), outcome(1.0, 2.0)]];
        let turns: Vec<&[Outcome]> = (0..100).map(|turn| &turns[turn % 2][..]).collect();
        // The second weight considers cost alone.
        let right: Vec<Choices> = (0..100).map(|turn| vec![turn % 2, 0]).collect();
        let wrong: Vec<Choices> = (0..100).map(|turn| vec![1 - turn % 2, 0]).collect();
        let found = margins(&turns, &[&right, &wrong], &[(0, 1), (0, 0)]);
        assert_eq!(found[0].verdict(), "win");
        assert_eq!((found[1].low, found[1].high, found[1].verdict()), (0.0, 0.0, "no difference shown"));
    }
}
