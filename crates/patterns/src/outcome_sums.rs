//! Sums over the outcomes of turns, with mean and variance.

use contracts::{NanoUsd, Score};
use serde::{Deserialize, Serialize};

use crate::fixed::{Fixed, Q20};

/// Exact sums over the outcomes of turns: scores and costs. They do not depend on the order of the turns. Packed,
/// because every row of a store has one.
#[repr(Rust, packed(4))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutcomeSums {
    /// The number of turns.
    pub(crate) samples: u32,
    /// The number of turns with a score of sufficient confidence.
    pub(crate) scored: u32,
    /// The sum of these scores, in billionths.
    pub(crate) score_sum: u64,
    /// The number of turns whose cost is known.
    pub(crate) costed: u32,
    /// The sum of the known costs.
    pub(crate) cost_sum: NanoUsd,
    /// The sum of the squares of the known costs, in square nano-dollars.
    pub(crate) cost_squares: u128,
}

impl OutcomeSums {
    /// Adds the cost of a turn that has no score yet; `cost` is `None` if it is unknown.
    pub(crate) fn add_turn(&mut self, cost: Option<NanoUsd>) {
        self.samples = self.samples.saturating_add(1);
        if let Some(cost) = cost {
            self.costed = self.costed.saturating_add(1);
            self.cost_sum = self.cost_sum.plus(cost);
            self.cost_squares = self.cost_squares.saturating_add(u128::from(cost.0).pow(2));
        }
    }

    /// Replaces the counted score of one turn in the sums: subtracts `before` and adds `after`. `None` means that the
    /// turn has no score of sufficient confidence; scores above 1 count as 1.
    pub(crate) fn replace_score(&mut self, before: Option<Score>, after: Option<Score>) {
        if let Some(score) = before {
            self.scored = self.scored.saturating_sub(1);
            self.score_sum = self.score_sum.saturating_sub(score.min(Score::ONE).0);
        }
        if let Some(score) = after {
            self.scored = self.scored.saturating_add(1);
            self.score_sum = self.score_sum.saturating_add(score.min(Score::ONE).0);
        }
    }

    /// Adds the sums over a disjoint set of turns to these sums. All counts and sums saturate.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.samples = self.samples.saturating_add(other.samples);
        self.scored = self.scored.saturating_add(other.scored);
        self.score_sum = self.score_sum.saturating_add(other.score_sum);
        self.costed = self.costed.saturating_add(other.costed);
        self.cost_sum = self.cost_sum.plus(other.cost_sum);
        self.cost_squares = self.cost_squares.saturating_add(other.cost_squares);
    }

    /// Subtracts the sums over a part of the turns in these sums. All counts and sums saturate.
    pub(crate) fn subtract(&mut self, part: &Self) {
        self.samples = self.samples.saturating_sub(part.samples);
        self.scored = self.scored.saturating_sub(part.scored);
        self.score_sum = self.score_sum.saturating_sub(part.score_sum);
        self.costed = self.costed.saturating_sub(part.costed);
        self.cost_sum = NanoUsd(self.cost_sum.0.saturating_sub(part.cost_sum.0));
        self.cost_squares = self.cost_squares.saturating_sub(part.cost_squares);
    }

    /// Returns the mean of the counted scores, in billionths; `None` if no score counts.
    pub(crate) fn mean_score(&self) -> Option<Score> {
        self.score_sum.checked_div(u64::from(self.scored)).map(Score)
    }

    /// Returns the mean of the counted scores, as a fixed-point number; `None` if no score counts.
    pub(crate) fn mean_outcome(&self) -> Option<Q20> {
        let sum = u128::from(self.score_sum) << 20;
        let mean = sum.checked_div(u128::from(self.scored) * 1_000_000_000)?;
        i64::try_from(mean).ok().map(Fixed)
    }

    /// Returns the variance of a single score. Two successes and two failures are added as a prior, so that a short
    /// streak does not reach a variance of 0.
    pub(crate) fn score_variance(&self) -> Score {
        let sum = self.score_sum.saturating_add(2 * Score::ONE.0);
        let mean = Score(sum / (u64::from(self.scored) + 4)).min(Score::ONE);
        mean.times(mean.complement())
    }

    /// Returns the mean of the known costs in nano-dollars; `None` if no cost is known.
    pub(crate) fn mean_cost(&self) -> Option<u64> {
        self.cost_sum.0.checked_div(u64::from(self.costed))
    }

    /// Returns the variance of the known costs in square nano-dollars; 0 if no cost is known.
    pub(crate) fn cost_variance(&self) -> u128 {
        let mean = u128::from(self.mean_cost().unwrap_or_default());
        let squares = self.cost_squares.checked_div(u128::from(self.costed)).unwrap_or_default();
        squares.saturating_sub(mean * mean)
    }
}
