//! What is known about one model in turns of one fingerprint.

use contracts::{NanoUsd, Score, TurnId};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

/// Exact sums over turns; nothing in them depends on their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The model, by its number in the store.
    pub(crate) model: u32,
    /// When the row was made, in updates of the store: tells it from an evicted one of the same name.
    pub(crate) born: u64,
    /// When it last changed, in updates of the store.
    pub(crate) updated: u64,
    /// The time of the event by which it last changed.
    pub(crate) changed_at: Timestamp,
    /// The last of its turns.
    pub(crate) turn: TurnId,
    /// The sums.
    pub(crate) sums: Sums,
    /// What it weighs in the regression of its model, with twenty binary places.
    pub(crate) coefficient: i64,
}

/// What turns came to. Its parts stand without gaps: there is one for every row.
#[repr(Rust, packed(4))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sums {
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
    /// The sum of their squares, in square nano-dollars.
    pub(crate) cost_squares: u128,
}

impl Sums {
    pub(crate) fn add(&mut self, cost: Option<NanoUsd>) {
        self.samples = self.samples.saturating_add(1);
        if let Some(cost) = cost {
            self.costed = self.costed.saturating_add(1);
            self.cost_sum = self.cost_sum.plus(cost);
            self.cost_squares = self.cost_squares.saturating_add(u128::from(cost.0).pow(2));
        }
    }

    /// Counts a score, at most the whole.
    fn score(&mut self, score: Score) {
        self.scored = self.scored.saturating_add(1);
        self.score_sum = self.score_sum.saturating_add(score.min(Score::ONE).0);
    }

    /// The mean of the scores.
    pub(crate) fn success(&self) -> Option<Score> {
        self.score_sum.checked_div(u64::from(self.scored)).map(Score)
    }

    /// Takes back the score that counted, counts another.
    pub(crate) fn replace(&mut self, before: Option<Score>, now: Option<Score>) {
        if let Some(score) = before {
            self.unscore(score);
        }
        if let Some(score) = now {
            self.score(score);
        }
    }

    fn unscore(&mut self, score: Score) {
        self.scored = self.scored.saturating_sub(1);
        self.score_sum = self.score_sum.saturating_sub(score.min(Score::ONE).0);
    }
}
