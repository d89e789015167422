//! How a turn was judged, and which judgement counts.

use contracts::{Score, facts::EvalCompleted};
use serde::{Deserialize, Serialize};

/// A judge less sure than this is remembered but does not count.
pub const MIN_EVAL_CONFIDENCE: Score = Score(500_000_000);

/// One verdict on a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Judgement {
    score: Score,
    confidence: Score,
    rubric: Box<str>,
    rubric_version: u16,
}

impl From<&EvalCompleted> for Judgement {
    fn from(eval: &EvalCompleted) -> Self {
        Self {
            score: eval.score,
            confidence: eval.confidence,
            rubric: eval.rubric.as_str().into(),
            rubric_version: eval.rubric_version,
        }
    }
}

impl Judgement {
    /// The score, if the judge was sure enough for it to count.
    pub(crate) fn counted(&self) -> Option<Score> {
        (MIN_EVAL_CONFIDENCE <= self.confidence).then_some(self.score)
    }

    /// Whether this verdict, given later, takes the place of an earlier one on the same turn: not when it is by
    /// an older version of the same rubric, and not when it is unsure and the earlier one was sure.
    pub(crate) fn replaces(&self, earlier: &Self) -> bool {
        let older_rubric = self.rubric == earlier.rubric && self.rubric_version < earlier.rubric_version;
        let less_sure = self.counted().is_none() && earlier.counted().is_some();
        !older_rubric && !less_sure
    }
}
