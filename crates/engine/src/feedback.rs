//! What the user thinks of a turn, and how it is judged then.

use contracts::{
    TurnId,
    events::{EvalCompleted, FeedbackGiven, Rating},
};
use evaluator::Rubric;
use event_core::{EventId, EventType, NewEvent};
use serde::{Deserialize, Serialize};

use crate::{engine::Engine, error::EngineError};

/// What became of a rating.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// What was recorded.
    pub given: FeedbackGiven,
    /// How the turn is judged now, once for each model that worked on it. Empty while it runs and when no model answered.
    pub verdicts: Vec<EvalCompleted>,
    /// Whether the turn is so old that only a re-evaluation of the log takes the rating into account.
    pub later: bool,
}

impl Engine {
    /// Records the user's rating on a turn, and judges the turn again. The last rating on a turn counts.
    ///
    /// # Errors
    /// [`EngineError::UnknownTurn`] for a turn that was never decided; otherwise when the log cannot be written.
    pub fn give_feedback(&mut self, turn: TurnId, rating: Rating) -> Result<Feedback, EngineError> {
        let given = FeedbackGiven { turn, session: self.decided(turn)?.session, rating };
        let position = self.recorder.position().0.to_le_bytes();
        let id = EventId::derive(&[FeedbackGiven::KIND.as_bytes(), &turn.0.0, &position]);
        self.recorder.record([NewEvent::new(id, self.now(), turn.0, &given)?])?;
        self.judge()?;
        self.commit()?;
        let evaluator = &self.state().evaluator;
        let (verdicts, later) = (evaluator.verdicts(turn, &Rubric::built_in()), !evaluator.contains(turn));
        Ok(Feedback { given, verdicts, later })
    }
}
