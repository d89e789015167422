//! Facts about how well a turn went.

use serde::{Deserialize, Serialize};

use super::{fact, sample};
use crate::{Score, SessionId, TurnId};

/// A turn was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalCompleted {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// How well it went.
    pub score: Score,
    /// How sure the judge is.
    pub confidence: Score,
    /// By which rubric.
    pub rubric: String,
    /// The version of the rubric.
    pub rubric_version: u16,
}

fact!(
    EvalCompleted,
    "eval.completed",
    1,
    Internal,
    "A turn was judged.",
    EvalCompleted {
        turn: sample::turn(),
        session: sample::session(),
        score: Score(900_000_000),
        confidence: Score(700_000_000),
        rubric: "turn-signals".to_owned(),
        rubric_version: 1,
    }
);
