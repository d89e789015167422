//! Earlier layouts of events about how well a turn went.

use serde::{Deserialize, Serialize};

use crate::{
    Score, SessionId, TurnId,
    events::{EvalCompleted, event, sample},
};

/// `eval.completed` as it was first: it did not say what the verdict rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `EvalCompleted`")]
pub struct EvalCompletedV1 {
    pub turn: TurnId,
    pub session: SessionId,
    pub score: Score,
    pub confidence: Score,
    pub rubric: String,
    pub rubric_version: u16,
}

impl From<EvalCompletedV1> for EvalCompleted {
    fn from(old: EvalCompletedV1) -> Self {
        Self {
            turn: old.turn,
            session: old.session,
            model: None,
            score: old.score,
            confidence: old.confidence,
            rubric: old.rubric,
            rubric_version: old.rubric_version,
            signals: Vec::new(),
            signals_omitted: 0,
        }
    }
}

event!(
    EvalCompletedV1,
    "eval.completed",
    1,
    Internal,
    "A turn was judged; the first layout, no longer written.",
    EvalCompletedV1 {
        turn: sample::turn(),
        session: sample::session(),
        score: Score(900_000_000),
        confidence: Score(700_000_000),
        rubric: "turn-signals".to_owned(),
        rubric_version: 1,
    }
);
