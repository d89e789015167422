//! The recorded evaluation of a turn, and the rule by which a later evaluation replaces it.

use std::sync::Arc;

use contracts::{Score, events::EvalCompleted};
use serde::{Deserialize, Serialize};

use crate::interner::Interner;

/// The lowest confidence of an evaluation whose score counts. An evaluation below it is stored, but has no effect.
pub const MIN_EVAL_CONFIDENCE: Score = Score(500_000_000);

/// An evaluation of a turn as recorded in `eval.completed`: its score, its confidence, and the rubric by which it was
/// computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TurnEvaluation {
    /// The score, from 0 to 1.
    score: Score,
    /// The evaluator's confidence in the score, from 0 to 1.
    confidence: Score,
    /// The rubric that produced the score, shared between evaluations.
    rubric: Arc<RubricVersion>,
}

/// The name and version of the rubric (the weights of signals) by which a turn was evaluated.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct RubricVersion {
    /// The name of the rubric.
    name: Box<str>,
    /// The version of the rubric; of two versions of one rubric, the higher one is newer.
    version: u16,
}

impl TurnEvaluation {
    /// Creates the evaluation that an `eval.completed` event records. `rubrics` is the pool in which its rubric is
    /// shared.
    pub(crate) fn new(eval: &EvalCompleted, rubrics: &mut Interner<RubricVersion>) -> Self {
        let rubric = RubricVersion { name: eval.rubric.as_str().into(), version: eval.rubric_version };
        Self { score: eval.score, confidence: eval.confidence, rubric: rubrics.intern(rubric) }
    }

    /// Replaces the rubric by the shared value of the pool, after deserialisation.
    pub(crate) fn intern(&mut self, rubrics: &mut Interner<RubricVersion>) {
        self.rubric = rubrics.intern(Arc::clone(&self.rubric));
    }

    /// Returns the score of the evaluation; `None` if its confidence is below [`MIN_EVAL_CONFIDENCE`], so that it has
    /// no effect.
    pub(crate) fn counted_score(&self) -> Option<Score> {
        (MIN_EVAL_CONFIDENCE <= self.confidence).then_some(self.score)
    }

    /// Whether this evaluation replaces an earlier one of the same turn. It does not if it uses an older version of the
    /// same rubric, nor if only the earlier one has a score that counts.
    pub(crate) fn replaces(&self, earlier: &Self) -> bool {
        let older_rubric = self.rubric.name == earlier.rubric.name && self.rubric.version < earlier.rubric.version;
        let loses_score = self.counted_score().is_none() && earlier.counted_score().is_some();
        !older_rubric && !loses_score
    }
}
