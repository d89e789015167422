//! Rubrics: the score and the confidence that follow from signals.
//!
//! With `w` the weight of each kind of signal present, and `v` its value (1 for positive, 0 for negative signals, the
//! share of successes for tools):
//!
//! ```text
//! score      = Σ w·v / Σ w
//! confidence = Σ w / (Σ w + prior weight)
//! ```
//!
//! A kind counts once however often it occurs, because ten failed calls of an overloaded provider have one cause. All
//! tools together count once, so that many successes do not outweigh a correction. Verdicts of a confidence below 0.5
//! are recorded and have no effect on recommendations. The built-in weights are documented in the module `weights`.

use contracts::Score;
use serde::Deserialize;

use crate::{
    signals::SignalList,
    weights::{Weights, is_positive, is_tool},
};

/// The name of the built-in rubric.
const BUILT_IN: &str = "turn-signals";

/// The greatest length of a rubric's name, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// A named version of the weights by which signals are combined to a verdict. Name and version identify it in every
/// verdict.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RubricFile")]
pub struct Rubric {
    /// The name: 1 to 64 bytes without white space.
    name: String,
    /// The version, from 1.
    version: u16,
    /// The weight of each kind of signal.
    weights: Weights,
}

/// The reason why a rubric (the weights of the signals about turns) is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RubricError {
    /// The name is empty, longer than 64 bytes, or contains white space.
    #[error("a rubric name must have 1 to {MAX_NAME_BYTES} bytes and no white space: `{0}`")]
    Name(String),
    /// The version is 0.
    #[error("the version of rubric `{0}` is 0; versions start at 1")]
    Version(String),
    /// The name belongs to the built-in rubric.
    #[error("`{BUILT_IN}` is the built-in rubric; choose another name")]
    BuiltIn,
}

/// The content of a rubric file, before its name and version are validated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RubricFile {
    /// The name, not validated yet.
    name: String,
    /// The version, not validated yet.
    version: u16,
    /// The weights; omitted ones have their built-in value.
    #[serde(default)]
    weights: Weights,
}

impl TryFrom<RubricFile> for Rubric {
    type Error = RubricError;

    fn try_from(file: RubricFile) -> Result<Self, RubricError> {
        Self::new(&file.name, file.version, file.weights)
    }
}

impl Rubric {
    /// Returns the rubric that is applied to every turn: `turn-signals`, version 1.
    pub fn built_in() -> Self {
        Self { name: BUILT_IN.to_owned(), version: 1, weights: Weights::BUILT_IN }
    }

    /// Creates a rubric with a `version` of at least 1.
    ///
    /// # Errors
    /// [`RubricError`] if the name is invalid or belongs to the built-in rubric, or if the version is 0.
    pub fn new(name: &str, version: u16, weights: Weights) -> Result<Self, RubricError> {
        if name.is_empty() || MAX_NAME_BYTES < name.len() || name.contains(char::is_whitespace) {
            return Err(RubricError::Name(name.chars().take(MAX_NAME_BYTES).collect()));
        }
        if version == 0 {
            return Err(RubricError::Version(name.to_owned()));
        }
        // Two rubrics of one name and version would replace each other's verdicts without end.
        if name == BUILT_IN {
            return Err(RubricError::BuiltIn);
        }
        Ok(Self { name: name.to_owned(), version, weights })
    }

    /// Returns the name, which every verdict records.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the version, from 1, which every verdict records.
    pub const fn version(&self) -> u16 {
        self.version
    }

    /// Computes the score and the confidence of a verdict from signals, in this order, both rounded down to billionths.
    /// Both are 0 without signals.
    pub(crate) fn evaluate(&self, signals: &SignalList) -> (Score, Score) {
        // All weights are multiplied by the number of tools, so that the share of successes stays exact. Weights are
        // below 2^16, kinds below 2^5 and tools below 2^33, so sums stay below 2^54.
        let tools = u64::from(signals.tools_succeeded()) + u64::from(signals.tools_failed());
        let scale = tools.max(1);
        let (mut positive, mut total) = (0, 0);
        for kind in signals.kinds().filter(|kind| !is_tool(*kind)) {
            let weight = u64::from(self.weights.weight(kind)) * scale;
            total += weight;
            positive += if is_positive(kind) { weight } else { 0 };
        }
        total += u64::from(self.weights.tools) * tools;
        positive += u64::from(self.weights.tools) * u64::from(signals.tools_succeeded());
        let prior_weight = u64::from(self.weights.prior_weight) * scale;
        (Score::ratio(positive, total), Score::ratio(total, total + prior_weight))
    }
}
