//! Settings of learned recommendations (004 §5.5).

use serde::{Deserialize, Serialize};

use crate::Score;

/// Scale on which the cost of a model is converted to an efficiency between 0 and 1 (decision D25).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostScale {
    /// Linear between the models of the cluster: the cheapest has efficiency 1, the most expensive 0 (004 §5.5).
    #[default]
    Cluster,
    /// `1 - cost / highest cost`, which keeps the proportions of the costs.
    Relative,
}

/// The features by which the pattern store compares two turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FingerprintKind {
    /// Structural features: files, tools, side effects, intents, sizes.
    Structural,
    /// Structural features and the words of the message.
    #[default]
    Hybrid,
}

/// Method that derives a recommendation from the outcomes of similar turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// The unmodified formula of 004 §5.5: a score of each model from mean success and cost efficiency; the confidence
    /// is the relative lead of the best score over the second.
    Paper,
    /// Averages weighted by similarity and shrunk towards each model's overall mean; the confidence is a probability.
    #[default]
    Calibrated,
}

/// Settings of the model recommendations that are learned from past turns (004 §5.5), from the block `pattern` of the
/// policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternSettings {
    /// Method that derives a recommendation.
    pub estimator: Estimator,
    /// Features by which turns are compared.
    pub fingerprint: FingerprintKind,
    /// Weight of the words in a hybrid comparison; the structural features have the rest.
    pub alpha: Score,
    /// Weight of the cost against the quality: 0 considers only quality, 1 only cost.
    pub cost_weight: Score,
    /// Minimum confidence; a recommendation below it is ignored.
    pub min_confidence: Score,
    /// Minimum number of scored samples of the recommended model, at least 1. The calibrated estimator also requires it
    /// of the baseline model.
    pub min_sample_size: u64,
    /// Minimum similarity of the neighbours that are considered (decision D22).
    pub min_similarity: Score,
    /// Maximum number of neighbours, the similar turns that a recommendation is derived from.
    pub neighbours: u16,
    /// Scale of costs for [`Estimator::Paper`]; the calibrated estimator compares dollars.
    pub cost_scale: CostScale,
    /// Whether a recommendation may replace a model that the client requested by name (decision D35). If not, it is a
    /// deferred entry.
    pub over_requested: bool,
}

impl PatternSettings {
    /// Returns the default settings of model recommendations for an estimator.
    pub const fn defaults_for(estimator: Estimator) -> Self {
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
            over_requested: false,
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
        Self::defaults_for(Estimator::default())
    }
}
