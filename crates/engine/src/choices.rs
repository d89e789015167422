//! What the user decides: the model of a session, and what becomes of a suggestion.

use contracts::{
    Decision, ModelId, Reason, Recommendation, SessionId, Slot, TurnId, Verdict,
    events::{PatternOverrideDismissed, RouteDecided, RouteOverridden, SessionModelSelected},
};
use event_core::{EventId, EventType, NewEvent};

use crate::{engine::Engine, error::EngineError, recorder::turn_event};

/// What setting a session's model did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selected {
    /// The model, or `None` when the choice was cleared.
    pub model: Option<ModelId>,
    /// Whether it waits for the running turn to end (004 §3.3).
    pub pending: bool,
}

impl std::fmt::Display for Selected {
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
    /// The model with this id or alias.
    ///
    /// # Errors
    /// [`EngineError::UnknownModel`].
    pub fn model_named(&self, name: &str) -> Result<ModelId, EngineError> {
        let found = self.models.registry.named(name).map(|model| model.id.clone());
        found.ok_or_else(|| EngineError::UnknownModel {
            name: name.to_owned(),
            hint: "; `turnwise models` lists all names".to_owned(),
        })
    }

    /// Sets or clears the model of a session. While a turn runs the choice waits; the last one wins (004 §3.3).
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn select_model(&mut self, session: &SessionId, model: Option<ModelId>) -> Result<Selected, EngineError> {
        let open = self.state().sessions.get(session).and_then(|session| session.running(&contracts::Thread::Main));
        let in_turn = open.map(|open| open.turn);
        let event = SessionModelSelected { session: session.clone(), model: model.clone(), in_turn };
        let position = self.recorder.position().0.to_le_bytes();
        let id = EventId::derive(&[b"session.model_selected", session.as_str().as_bytes(), &position]);
        let sealed = NewEvent::new(id, self.now(), session.correlation(), &event)?;
        self.recorder.record([sealed])?;
        self.commit()?;
        Ok(Selected { model, pending: in_turn.is_some() })
    }

    /// Takes the pattern store's suggestion for a turn (004 §5.6).
    ///
    /// # Errors
    /// [`EngineError::NoSuggestion`] when the turn has none.
    pub fn accept_suggestion(&mut self, turn: TurnId) -> Result<RouteOverridden, EngineError> {
        let (decided, suggestion) = self.suggestion(turn)?;
        let event = RouteOverridden {
            turn,
            session: decided.session,
            original: suggestion.chosen,
            model: suggestion.found.model,
            deferred: Slot::PatternRecommendation,
            rule: suggestion.rule,
            confidence: suggestion.found.confidence,
        };
        self.record_choice(turn, &event)?;
        Ok(event)
    }

    /// Keeps the rule's model against the suggestion (004 §5.6).
    ///
    /// # Errors
    /// [`EngineError::NoSuggestion`] when the turn has none.
    pub fn dismiss_suggestion(&mut self, turn: TurnId) -> Result<PatternOverrideDismissed, EngineError> {
        let (decided, suggestion) = self.suggestion(turn)?;
        let event = PatternOverrideDismissed {
            turn,
            session: decided.session,
            model: suggestion.chosen,
            dismissed: suggestion.found.model,
            rule: suggestion.rule,
            confidence: suggestion.found.confidence,
        };
        self.record_choice(turn, &event)?;
        Ok(event)
    }

    /// Records what the user made of a suggestion.
    fn record_choice<E: EventType>(&mut self, turn: TurnId, event: &E) -> Result<(), EngineError> {
        let sealed = turn_event(turn, 0, self.now(), event.clone())?.caused_by(turn.0.then(RouteDecided::KIND, 0));
        self.recorder.record([sealed])?;
        self.judge()?;
        self.commit()
    }

    fn suggestion(&self, turn: TurnId) -> Result<(RouteDecided, Suggestion), EngineError> {
        let decided = self.decided(turn)?;
        let suggestion = Suggestion::of(&decided.decision);
        let suggestion = suggestion.ok_or_else(|| EngineError::NoSuggestion(turn.to_string()))?;
        Ok((decided, suggestion))
    }
}

/// A recommendation that a policy before it outranked.
struct Suggestion {
    chosen: ModelId,
    rule: Option<String>,
    found: Recommendation,
}

impl Suggestion {
    fn of(decision: &Decision) -> Option<Self> {
        let entry = decision.entry(Slot::PatternRecommendation)?;
        let Reason::Pattern(found) = &entry.reason else { return None };
        let rule = decision.winner()?.reason.rule().map(str::to_owned);
        let chosen = decision.chosen.clone()?;
        // One that could not take the turn is listed, but is nothing to accept.
        let stands = entry.verdict == Verdict::Deferred && entry.failure.is_none() && found.model != chosen;
        stands.then(|| Self { chosen, rule, found: found.clone() })
    }
}
