//! Operations for the user's choices: ratings, the model of a session, replies to recommendations.

use contracts::{
    ModelId, SessionId, TurnId,
    events::{PatternOverrideDismissed, Rating, RouteOverridden},
};
use engine::{Engine, EngineError, Feedback};
use serde::{Deserialize, Serialize};

use crate::{error::ControlError, operation::Operation};

/// The request to record the user's rating of a turn. The last rating of a turn applies.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GiveFeedback {
    /// Id of the turn.
    pub turn: TurnId,
    /// The rating.
    pub rating: Rating,
}

impl Operation for GiveFeedback {
    type Response = Feedback;

    fn execute(self, engine: &mut Engine) -> Result<Feedback, ControlError> {
        Ok(engine.give_feedback(self.turn, self.rating)?)
    }
}

/// The request to set or clear the model of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectModel {
    /// Id of the session; `None` for the session with the latest event.
    pub session: Option<SessionId>,
    /// Id or alias of a model; `None` to clear the model, so that the policy decides.
    pub model: Option<String>,
}

/// Result of [`SelectModel`]: the model of the session, and from when it applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectedModel {
    /// Id of the session.
    pub session: SessionId,
    /// Model of the session; `None` if the policy decides.
    pub model: Option<ModelId>,
    /// Whether the change applies after the running turn; false if it applies at once.
    pub pending: bool,
}

impl Operation for SelectModel {
    type Response = SelectedModel;

    fn execute(self, engine: &mut Engine) -> Result<SelectedModel, ControlError> {
        if let Some(session) = &self.session {
            engine.load_session(session)?;
        }
        let sessions = &engine.state().sessions;
        let session = match self.session {
            Some(session) if sessions.get(&session).is_some() => session,
            Some(session) => return Err(EngineError::UnknownSession(session.to_string()).into()),
            None => sessions.latest().ok_or(EngineError::NothingDecided)?.0.clone(),
        };
        let model = self.model.map(|name| engine.model_named(&name)).transpose()?;
        let selected = engine.select_model(&session, model)?;
        Ok(SelectedModel { session, model: selected.model, pending: selected.pending })
    }
}

/// The request to record that the user accepts the recommendation of the pattern store for a turn. An error if it
/// recommended none.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptSuggestion {
    /// Id of the turn.
    pub turn: TurnId,
}

impl Operation for AcceptSuggestion {
    type Response = RouteOverridden;

    fn execute(self, engine: &mut Engine) -> Result<RouteOverridden, ControlError> {
        Ok(engine.accept_suggestion(self.turn)?)
    }
}

/// The request to record that the user dismisses the recommendation of the pattern store for a turn and keeps the
/// chosen model. An error if it recommended none.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DismissSuggestion {
    /// Id of the turn.
    pub turn: TurnId,
}

impl Operation for DismissSuggestion {
    type Response = PatternOverrideDismissed;

    fn execute(self, engine: &mut Engine) -> Result<PatternOverrideDismissed, ControlError> {
        Ok(engine.dismiss_suggestion(self.turn)?)
    }
}
