//! Events about how well a turn went.

use event_core::EventId;
use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{ModelId, Score, SessionId, TurnId};

/// A kind of evidence about how well a turn went.
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
    /// The next message continued with something else.
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

/// One thing noticed, and the event that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// What.
    pub kind: SignalKind,
    /// Where it can be seen.
    pub event: EventId,
}

/// A turn was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalCompleted {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// Whose work was judged; `None` for whoever took the turn.
    pub model: Option<ModelId>,
    /// How well it went.
    pub score: Score,
    /// How sure the judge is.
    pub confidence: Score,
    /// By which rubric.
    pub rubric: String,
    /// The version of the rubric.
    pub rubric_version: u16,
    /// What the verdict rests on, in the order in which it was noticed.
    pub signals: Vec<Signal>,
    /// Signals that count but found no place in this event.
    pub signals_omitted: u32,
}

event!(
    EvalCompleted,
    "eval.completed",
    1,
    Internal,
    "A turn was judged.",
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

/// What the user thinks of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    /// It went well.
    Up,
    /// It went badly.
    Down,
}

/// The user said how a turn went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackGiven {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// How it went.
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
