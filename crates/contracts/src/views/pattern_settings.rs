//! The knobs of learned recommendations (004 §5.5).

use serde::{Deserialize, Serialize};

use crate::Score;

/// How the cost of models is put on a scale from 0 to 1 (decision D25).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostScale {
    /// The cheapest of the cluster is 1, the dearest 0, as 004 §5.5 has it.
    #[default]
    Cluster,
    /// 1 - cost / dearest: a difference of one per cent stays one per cent.
    Relative,
}

/// What two turns are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FingerprintKind {
    /// Files, tools, effects, intents, sizes.
    Structural,
    /// Those, and the words of the message.
    #[default]
    Hybrid,
}

/// How the outcomes of similar turns become a recommendation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// The formula of 004 §5.5, to the letter.
    Paper,
    /// Weighted by similarity, held back towards what is known of each model in general, with a confidence that is a
    /// probability.
    #[default]
    Calibrated,
}

/// The knobs of the pattern policy (004 §5.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternSettings {
    /// How outcomes become a recommendation.
    pub estimator: Estimator,
    /// What turns are compared by.
    pub fingerprint: FingerprintKind,
    /// The share of the words in a hybrid comparison.
    pub alpha: Score,
    /// 0 is pure quality, 1 pure cost.
    pub cost_weight: Score,
    /// Below this confidence nothing is recommended.
    pub min_confidence: Score,
    /// Below this many scored samples nothing is recommended; at least 1. The calibrated estimator asks as much of the
    /// model that would act otherwise.
    pub min_sample_size: u64,
    /// Neighbours less similar than this do not count (decision D22).
    pub min_similarity: Score,
    /// How many neighbours are looked at.
    pub neighbours: u16,
    /// How the formula of 004 scales cost; the calibrated estimator looks at dollars.
    pub cost_scale: CostScale,
}

impl PatternSettings {
    /// The defaults of an estimator.
    pub const fn of(estimator: Estimator) -> Self {
        let paper = Self {
            estimator,
            fingerprint: FingerprintKind::Hybrid,
            alpha: Score(600_000_000),
            cost_weight: Score(50_000_000),
            min_confidence: Score(50_000_000),
            min_sample_size: 5,
            min_similarity: Score(300_000_000),
            neighbours: 10,
            cost_scale: CostScale::Cluster,
        };
        match estimator {
            Estimator::Paper => paper,
            Estimator::Calibrated => Self {
                alpha: Score(800_000_000),
                min_confidence: Score(780_000_000),
                min_sample_size: 10,
                min_similarity: Score::ZERO,
                neighbours: 100,
                ..paper
            },
        }
    }
}

impl Default for PatternSettings {
    fn default() -> Self {
        Self::of(Estimator::default())
    }
}
