//! Bootstrap confidence intervals for the difference between two routers: test turns are resampled with replacement.

use serde::Serialize;

use crate::{
    data::Outcome,
    hash::Random,
    hull::Hull,
    numbers::to_f64,
    sweep::{Choices, aiq},
};

/// The number of resamples from which confidence intervals are computed.
pub(crate) const RESAMPLES: usize = 1_000;

/// The seed of the resamples, which makes the intervals reproducible.
const SEED: u64 = 5;

/// The difference in AIQ (average improvement in quality) between two routers, with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AiqDifference {
    /// The difference on all test turns.
    pub difference: f64,
    /// The 2.5th percentile of the resamples.
    pub low: f64,
    /// The 97.5th percentile of the resamples.
    pub high: f64,
}

impl AiqDifference {
    /// Returns `win` or `loss` if the interval is entirely above or below 0, otherwise `no difference shown`.
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

/// The costs and scores of a router's choices. Each row is a turn; the columns are the cost at each cost weight,
/// followed by the score at each cost weight. The curve of a resample is a weighted sum of rows.
#[derive(Debug)]
struct CurveMatrix {
    /// The number of columns: twice the number of cost weights.
    width: usize,
    /// All cells, row by row.
    cells: Vec<f64>,
}

impl CurveMatrix {
    /// Builds the matrix from the outcomes of all models on each turn. `choices` returns the models that the router
    /// selects for a turn, given by its index.
    fn new(outcomes: &[&[Outcome]], choices: impl Fn(usize) -> Choices) -> Self {
        let mut cells = Vec::new();
        for (turn, outcomes) in outcomes.iter().enumerate() {
            let choices = choices(turn);
            cells.extend(choices.iter().map(|choice| outcomes[*choice].cost));
            cells.extend(choices.iter().map(|choice| outcomes[*choice].score));
        }
        Self { width: cells.len() / outcomes.len().max(1), cells }
    }

    /// Returns the mean cost and the mean score of a resample for each cost weight. `occurrences` has the number of
    /// times that each turn was drawn.
    fn points(&self, occurrences: &[u32]) -> Vec<(f64, f64)> {
        let mut sums = vec![0.0; self.width];
        for (row, occurrences) in
            self.cells.chunks_exact(self.width.max(1)).zip(occurrences).filter(|(_, occurrences)| **occurrences != 0)
        {
            let occurrences = f64::from(*occurrences);
            for (sum, cell) in sums.iter_mut().zip(row) {
                *sum += occurrences * cell;
            }
        }
        let turns = to_f64(occurrences.len().max(1));
        let (costs, scores) = sums.split_at(self.width / 2);
        costs.iter().zip(scores).map(|(cost, score)| (cost / turns, score / turns)).collect()
    }
}

/// Computes the difference in AIQ between the routers of each pair, all on the same resamples. `pairs` has indices of
/// `routers`; the difference is the AIQ of the first router minus the AIQ of the second.
pub(crate) fn compare_routers(
    outcomes: &[&[Outcome]],
    routers: &[&[Choices]],
    pairs: &[(usize, usize)],
) -> Vec<AiqDifference> {
    let models = outcomes.first().map_or(0, |first_turn| first_turn.len());
    let single_models = CurveMatrix::new(outcomes, |_| (0..models).collect());
    let matrices: Vec<_> = routers
        .iter()
        .map(|choices| {
            let weights = distinct_weights(choices);
            CurveMatrix::new(outcomes, |turn| weights.iter().map(|weight| choices[turn][*weight]).collect())
        })
        .collect();
    let differences = |occurrences: &[u32]| {
        let single_models = single_models.points(occurrences);
        let router_aiq = |matrix: &CurveMatrix| aiq(&Hull::new(matrix.points(occurrences)), &single_models);
        let aiqs: Vec<f64> = matrices.iter().map(router_aiq).collect();
        pairs.iter().map(|(first, second)| aiqs[*first] - aiqs[*second]).collect::<Vec<_>>()
    };
    let observed_differences = differences(&vec![1; outcomes.len()]);
    let mut random = Random::new(SEED);
    let mut resampled_differences: Vec<Vec<f64>> = vec![Vec::with_capacity(RESAMPLES); pairs.len()];
    for _ in 0..RESAMPLES {
        let mut occurrences = vec![0; outcomes.len()];
        for _ in 0..outcomes.len() {
            occurrences[random.below(outcomes.len())] += 1;
        }
        for (of_pair, difference) in resampled_differences.iter_mut().zip(differences(&occurrences)) {
            of_pair.push(difference);
        }
    }
    let margin = |(difference, mut of_pair): (f64, Vec<f64>)| {
        of_pair.sort_by(f64::total_cmp);
        let percentile = |index: usize| of_pair.get(index).copied().unwrap_or(difference);
        AiqDifference { difference, low: percentile(RESAMPLES / 40), high: percentile(RESAMPLES - 1 - RESAMPLES / 40) }
    };
    observed_differences.into_iter().zip(resampled_differences).map(margin).collect()
}

/// Returns the indices of the cost weights at which the router selects another model for any turn than at the previous
/// weight. The other weights add no point to a hull.
fn distinct_weights(choices: &[Choices]) -> Vec<usize> {
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
        let found = compare_routers(&turns, &[&right, &wrong], &[(0, 1), (0, 0)]);
        assert_eq!(found[0].verdict(), "win");
        assert_eq!((found[1].low, found[1].high, found[1].verdict()), (0.0, 0.0, "no difference shown"));
    }
}
