//! How a turn was judged, and which judgement counts.

use contracts::{Score, events::EvalCompleted};
use serde::{Deserialize, Serialize};

use crate::shared::{Held, Shared};

/// A judge less sure than this is remembered but does not count.
pub const MIN_EVAL_CONFIDENCE: Score = Score(500_000_000);

/// One verdict on a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Judgement {
    score: Score,
    confidence: Score,
    rubric: Held<Rubric>,
}

/// By what it was judged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Rubric {
    name: Box<str>,
    version: u16,
}

impl Judgement {
    pub(crate) fn new(eval: &EvalCompleted, rubrics: &mut Shared<Rubric>) -> Self {
        let rubric = Rubric { name: eval.rubric.as_str().into(), version: eval.rubric_version };
        Self { score: eval.score, confidence: eval.confidence, rubric: rubrics.hold(rubric) }
    }

    /// Holds the rubric that others hold, not one of its own.
    pub(crate) fn share(&mut self, rubrics: &mut Shared<Rubric>) {
        self.rubric = rubrics.hold(Rubric::clone(&self.rubric));
    }

    /// The score, if the judge was sure enough for it to count.
    pub(crate) fn counted(&self) -> Option<Score> {
        (MIN_EVAL_CONFIDENCE <= self.confidence).then_some(self.score)
    }

    /// Whether this verdict, given later, takes the place of an earlier one on the same turn: not when it is by
    /// an older version of the same rubric, and not when it is unsure and the earlier one was sure.
    pub(crate) fn replaces(&self, earlier: &Self) -> bool {
        let older_rubric = self.rubric.name == earlier.rubric.name && self.rubric.version < earlier.rubric.version;
        let less_sure = self.counted().is_none() && earlier.counted().is_some();
        !older_rubric && !less_sure
    }
}
