//! Records the user's rating of a turn and evaluates the turn again.

use contracts::{
    TurnId,
    events::{EvalCompleted, FeedbackGiven, Rating},
};
use evaluator::Rubric;
use event_core::{EventId, EventType, NewEvent};
use serde::{Deserialize, Serialize};

use crate::{engine::Engine, error::EngineError};

/// The result of recording the user's rating of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// The recorded rating.
    pub given: FeedbackGiven,
    /// The verdicts on the turn after the rating, one for each model that worked on it. Empty while the turn runs, and
    /// if no model responded.
    pub verdicts: Vec<EvalCompleted>,
    /// Whether the evaluator no longer has the evidence about the turn, because it is too old. The rating is then
    /// included only when the whole log is evaluated again.
    pub later: bool,
}

impl Engine {
    /// Records the user's rating of a turn, and the verdicts on the turn that change with it. A later rating replaces
    /// an earlier one. Durable on return.
    ///
    /// # Errors
    /// [`EngineError::UnknownTurn`] if the turn has no decision in the log; otherwise [`EngineError`] if the log cannot
    /// be read or written.
    pub fn give_feedback(&mut self, turn: TurnId, rating: Rating) -> Result<Feedback, EngineError> {
        let given = FeedbackGiven { turn, session: self.decision_of_turn(turn)?.session, rating };
        let position = self.recorder.position().0.to_le_bytes();
        let id = EventId::derive(&[FeedbackGiven::KIND.as_bytes(), &turn.0.0, &position]);
        self.recorder.record([NewEvent::new(id, self.now(), turn.0, &given)?])?;
        self.record_due_verdicts()?;
        self.commit()?;
        let evaluator = &self.state().evaluator;
        let (verdicts, later) = (evaluator.verdicts(turn, &Rubric::built_in()), !evaluator.contains(turn));
        Ok(Feedback { given, verdicts, later })
    }
}
