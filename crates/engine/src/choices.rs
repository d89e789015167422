//! Records choices of the user: the model of a session, and whether a suggestion is accepted or dismissed.

use std::sync::Arc;

use contracts::{
    Decision, Event, ModelId, Reason, Recommendation, SessionId, Slot, TurnId, Verdict,
    events::{DecisionMode, PatternOverrideDismissed, RouteDecided, RouteOverridden, SessionModelSelected, TurnEnded},
};
use event_core::{EventId, EventType, NewEvent};

use crate::{engine::Engine, error::EngineError, recorder::turn_event};

/// The result of setting or clearing the model of a session. Its display form is the message for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSelection {
    /// The model; `None` if it was cleared.
    pub model: Option<ModelId>,
    /// Whether the change applies from the next turn on, because a turn is running and keeps its model (004 §3.3).
    pub pending: bool,
}

impl std::fmt::Display for ModelSelection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.model, self.pending) {
            (Some(model), true) => write!(f, "Model swap pending: {model}. Applies to next turn."),
            (None, true) => f.write_str("Return to the rules pending. Applies to next turn."),
            (Some(model), false) => write!(f, "Model set: {model}. It takes every turn of this session."),
            (None, false) => f.write_str("Model cleared. The policy decides again."),
        }
    }
}

impl Engine {
    /// Returns the id of the model that has `name` as its id or an alias.
    ///
    /// # Errors
    /// [`EngineError::UnknownModel`] if there is none.
    pub fn model_named(&self, name: &str) -> Result<ModelId, EngineError> {
        let known = self.models.registry.named(name).map(|model| model.id.clone());
        known.ok_or_else(|| EngineError::UnknownModel {
            name: name.to_owned(),
            hint: "; `turnwise models` lists all names".to_owned(),
        })
    }

    /// Records the model that the user sets for a session; `None` clears it, so that the policy decides again. While a
    /// turn of the main thread is running, the change applies from the next turn on; of several changes the last one
    /// counts (004 §3.3). Durable on return.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn select_model(&mut self, session: &SessionId, model: Option<ModelId>) -> Result<ModelSelection, EngineError> {
        self.load_session(session)?;
        let running =
            self.state().sessions.get(session).and_then(|session| session.running_turn(&contracts::Thread::Main));
        let in_turn = running.map(|running| running.turn);
        let event = SessionModelSelected { session: session.clone(), model: model.clone(), in_turn };
        let position = self.recorder.position().0.to_le_bytes();
        let id = EventId::derive(&[b"session.model_selected", session.as_str().as_bytes(), &position]);
        let sealed = NewEvent::new(id, self.now(), session.correlation(), &event)?;
        self.recorder.record([sealed])?;
        self.commit()?;
        Ok(ModelSelection { model, pending: in_turn.is_some() })
    }

    /// Records that the user accepts the suggestion of the pattern store for a running turn (004 §5.6), and returns the
    /// event. The turn continues on the suggested model. Durable on return.
    ///
    /// # Errors
    /// [`EngineError::UnknownTurn`] if the turn has no decision, [`EngineError::NoSuggestion`] if its decision has no
    /// suggestion, [`EngineError::TurnEnded`] if it has ended, [`EngineError::SuggestionDecided`] if the suggestion was
    /// dismissed; otherwise if the log cannot be written.
    pub fn accept_suggestion(&mut self, turn: TurnId) -> Result<RouteOverridden, EngineError> {
        let (decided, suggestion) = self.find_suggestion(turn)?;
        self.refuse_after::<PatternOverrideDismissed>(turn, "dismissed")?;
        let event = RouteOverridden {
            turn,
            session: decided.session,
            original: suggestion.chosen,
            model: suggestion.recommendation.model,
            deferred: Slot::PatternRecommendation,
            rule: suggestion.rule,
            confidence: suggestion.recommendation.confidence,
        };
        self.record_choice(turn, &event)?;
        Ok(event)
    }

    /// Records that the user rejects the suggestion of the pattern store for a turn and keeps the chosen model (004
    /// §5.6), and returns the event. The event is durable on return.
    ///
    /// # Errors
    /// Those of [`Engine::accept_suggestion`]: the turn is unknown or has no suggestion, the suggestion was already
    /// accepted, or the log cannot be written.
    pub fn dismiss_suggestion(&mut self, turn: TurnId) -> Result<PatternOverrideDismissed, EngineError> {
        let (decided, suggestion) = self.find_suggestion(turn)?;
        self.refuse_after::<RouteOverridden>(turn, "accepted")?;
        let event = PatternOverrideDismissed {
            turn,
            session: decided.session,
            model: suggestion.chosen,
            dismissed: suggestion.recommendation.model,
            rule: suggestion.rule,
            confidence: suggestion.recommendation.confidence,
        };
        self.record_choice(turn, &event)?;
        Ok(event)
    }

    /// Records the user's choice about the suggested model of a turn, and the verdicts that change with it. Durable on
    /// return.
    ///
    /// # Errors
    /// [`EngineError`] if an event cannot be encoded or appended to the log.
    fn record_choice<E: EventType>(&mut self, turn: TurnId, event: &E) -> Result<(), EngineError>
    where
        Event: From<Arc<E>>,
    {
        let sealed = turn_event(turn, 0, self.now(), event.clone())?.caused_by(turn.0.then(RouteDecided::KIND, 0));
        self.recorder.record([sealed])?;
        self.record_due_verdicts()?;
        self.commit()
    }

    /// Returns the decision about a running turn, and the model that the decision suggests to the user.
    ///
    /// # Errors
    /// [`EngineError::UnknownTurn`] without a decision, [`EngineError::NoSuggestion`] without a suggestion in it,
    /// [`EngineError::TurnEnded`] if the turn has ended.
    fn find_suggestion(&self, turn: TurnId) -> Result<(RouteDecided, Suggestion), EngineError> {
        let decided = self.decision_of_turn(turn)?;
        let suggestion = Suggestion::from_decision(&decided.decision);
        let suggestion = suggestion.ok_or_else(|| EngineError::NoSuggestion(turn.to_string()))?;
        // An imported turn ended before it was recorded, whether its file shows that or not.
        if decided.mode == DecisionMode::Observed || self.recorder.contains(turn.0.then(TurnEnded::KIND, 0))? {
            return Err(EngineError::TurnEnded(turn.to_string()));
        }
        Ok((decided, suggestion))
    }

    /// Checks that the user has not made the opposite choice about the suggestion of a turn, which the event `E` would
    /// record. `choice` is the name of that choice.
    ///
    /// # Errors
    /// [`EngineError::SuggestionDecided`] with `choice` if it does.
    fn refuse_after<E: EventType>(&self, turn: TurnId, choice: &'static str) -> Result<(), EngineError> {
        if self.recorder.contains(turn.0.then(E::KIND, 0))? {
            return Err(EngineError::SuggestionDecided { turn: turn.to_string(), choice });
        }
        Ok(())
    }
}

/// A model that the pattern store recommended for a turn, but that was not chosen because an earlier slot outranked it.
/// It is suggested to the user.
struct Suggestion {
    /// The model that the decision chose instead.
    chosen: ModelId,
    /// The rule that chose it; `None` if another slot did.
    rule: Option<String>,
    /// The overruled recommendation.
    recommendation: Recommendation,
}

impl Suggestion {
    /// Returns the suggestion of a model in a decision; `None` without a suggestion that the user could accept.
    fn from_decision(decision: &Decision) -> Option<Self> {
        let entry = decision.entry(Slot::PatternRecommendation)?;
        let Reason::Pattern(recommendation) = &entry.reason else { return None };
        let rule = decision.winner()?.reason.rule().map(str::to_owned);
        let chosen = decision.chosen.clone()?;
        // A recommended model that cannot serve the turn is in the chain, but cannot be accepted.
        let is_acceptable =
            entry.verdict == Verdict::Deferred && entry.failure.is_none() && recommendation.model != chosen;
        is_acceptable.then(|| Self { chosen, rule, recommendation: recommendation.clone() })
    }
}
