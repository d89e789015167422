//! Events about the outcome of turns: verdicts of the evaluator and ratings by the user.

use event_core::EventId;
use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{ModelId, Score, SessionId, TurnId};

/// Kind of evidence about how a turn went. The evaluator derives it from later events of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// The turn ended by itself.
    Completed,
    /// The user cancelled the turn.
    Cancelled,
    /// The turn ended with a failed call and no retry.
    GaveUp,
    /// A response ended at its token limit.
    CutShort,
    /// The model or a content filter refused to respond.
    Withheld,
    /// A call failed.
    CallFailed,
    /// A tool succeeded.
    ToolSucceeded,
    /// A tool reported an error.
    ToolFailed,
    /// The user declined or interrupted a tool.
    ToolDeclined,
    /// The next message continued without rejecting or approving the response.
    Continued,
    /// The next message repeated the request.
    RepeatedRequest,
    /// The next message corrected the response.
    Corrected,
    /// The next message approved the response.
    Approved,
    /// The user chose this model over a rule or a suggestion.
    ChosenByUser,
    /// The user reassigned the work to another model.
    Reassigned,
    /// Files written by the turn were reverted.
    Reverted,
    /// The user rated the turn up.
    RatingUp,
    /// The user rated the turn down.
    RatingDown,
}

/// One piece of evidence about how a turn went, with the event that it was derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// Kind of evidence.
    pub kind: SignalKind,
    /// Id of the event that the evidence is derived from.
    pub event: EventId,
}

/// Event: the evaluator scored how well a model did its work in a turn. The pattern store learns from the score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalCompleted {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Model that is scored; `None` for the model that served the turn.
    pub model: Option<ModelId>,
    /// Score, 1 for a full success.
    pub score: Score,
    /// Confidence in the score, 1 for certainty.
    pub confidence: Score,
    /// Name of the rubric that was applied.
    pub rubric: String,
    /// Version of the rubric.
    pub rubric_version: u16,
    /// Evidence for the score, in the order of observation.
    pub signals: Vec<Signal>,
    /// Number of signals that influenced the score but did not fit into the event.
    pub signals_omitted: u32,
}

event!(
    EvalCompleted,
    "eval.completed",
    1,
    Internal,
    "A turn was scored.",
    EvalCompleted {
        turn: sample::turn(),
        session: sample::session(),
        model: Some(sample::model()),
        score: Score(900_000_000),
        confidence: Score(700_000_000),
        rubric: "turn-signals".to_owned(),
        rubric_version: 1,
        signals: vec![Signal { kind: SignalKind::Completed, event: EventId([0x44; 16]) }],
        signals_omitted: 0,
    }
);

/// The user's rating of a turn, given with `turnwise feedback` or on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    /// The turn went well.
    Up,
    /// The turn went badly.
    Down,
}

/// Event: the user rated a turn. The evaluator includes the rating in its score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackGiven {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// The rating.
    pub rating: Rating,
}

event!(
    FeedbackGiven,
    "feedback.given",
    1,
    Internal,
    "The user said how a turn went.",
    FeedbackGiven { turn: sample::turn(), session: sample::session(), rating: Rating::Up }
);
