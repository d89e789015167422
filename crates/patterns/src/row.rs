//! What is known about one model in turns of one fingerprint.

use contracts::{NanoUsd, Score};
use serde::{Deserialize, Serialize};

/// Exact sums over turns; nothing in it depends on their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The model, by its number in the store.
    pub(crate) model: u32,
    /// When the row was made, in updates of the store: tells it from an evicted one of the same name.
    pub(crate) born: u64,
    /// When it last changed, in updates of the store.
    pub(crate) updated: u64,
    /// Turns.
    pub(crate) samples: u32,
    /// Turns with a score that counts.
    pub(crate) scored: u32,
    /// The sum of those scores, in billionths.
    pub(crate) score_sum: u64,
    /// Turns whose cost is known.
    pub(crate) costed: u32,
    /// The sum of those costs.
    pub(crate) cost_sum: NanoUsd,
}

impl Row {
    pub(crate) const fn new(model: u32, born: u64) -> Self {
        Self { model, born, updated: born, samples: 0, scored: 0, score_sum: 0, costed: 0, cost_sum: NanoUsd(0) }
    }

    pub(crate) fn add(&mut self, cost: Option<NanoUsd>) {
        self.samples = self.samples.saturating_add(1);
        if let Some(cost) = cost {
            self.costed = self.costed.saturating_add(1);
            self.cost_sum += cost;
        }
    }

    /// Counts a score, at most the whole.
    pub(crate) fn score(&mut self, score: Score) {
        self.scored = self.scored.saturating_add(1);
        self.score_sum = self.score_sum.saturating_add(score.min(Score::ONE).0);
    }

    /// Takes back a score that was counted.
    pub(crate) fn unscore(&mut self, score: Score) {
        self.scored = self.scored.saturating_sub(1);
        self.score_sum = self.score_sum.saturating_sub(score.min(Score::ONE).0);
    }
}
