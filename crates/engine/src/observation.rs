//! Turns observed elsewhere go through the engine: decided as they would have been, and recorded as they were.

use contracts::events::{DecisionMode, SessionSource};
use transcripts::observed::{ObservedSession, ObservedTurn};

use crate::{
    engine::Engine,
    error::EngineError,
    mention::Mention,
    observe::{events_after_decision, session_event},
    turn_input::TurnInput,
    turn_outcome::TurnOutcome,
};

impl Engine {
    /// Records a session that was observed elsewhere.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn observe_session(&mut self, session: &ObservedSession) -> Result<(), EngineError> {
        self.recorder.record([session_event(session)?])
    }

    /// Whether a turn that a client recorded came through the gateway: then the log has it, with its calls and their
    /// costs, and to record it as observed would count them twice.
    ///
    /// All turns of a session that began in the gateway did. Of one that was imported before its client was pointed at
    /// the gateway, those did that were not over when the gateway first saw the session.
    pub fn came_through_gateway(&self, turn: &ObservedTurn) -> bool {
        let Some(session) = self.state().sessions.get(&turn.session) else { return false };
        session.source == Some(SessionSource::Gateway)
            || session.gateway_since.is_some_and(|since| since <= turn.last_at())
    }

    /// Records a turn that was observed elsewhere, and what would have been decided about it. A turn that is
    /// known is not decided again; whatever else is new about it is recorded. One that came through the gateway is left
    /// alone. Durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn observe_turn(
        &mut self,
        session: &ObservedSession,
        turn: &ObservedTurn,
    ) -> Result<Option<TurnOutcome>, EngineError> {
        if self.came_through_gateway(turn) {
            return Ok(None);
        }
        let id = turn.id();
        let before = self.recorder.position();
        let mut made = None;
        if !self.recorder.knows(id.0.then("route.decided", 0))? {
            made = Some(self.decide_observed(session, turn)?);
        }
        let after = events_after_decision(turn, session.source, &self.models.registry)?;
        self.recorder.record(after)?;
        // Where an import was killed, a turn may be begun: what it shows about the one before waits for its decision.
        if before < self.recorder.position() || (!self.is_judged() && !self.begun()) {
            self.judge()?;
        }
        Ok(made)
    }

    /// Whether the log has a turn that has started and is not decided.
    fn begun(&self) -> bool {
        let mut sessions = self.recorder.state().sessions.iter().map(|(_, session)| session);
        sessions
            .any(|session| session.open.iter().any(|open| session.last_turn != Some(open.turn) && open.model.is_none()))
    }

    fn decide_observed(&mut self, session: &ObservedSession, turn: &ObservedTurn) -> Result<TurnOutcome, EngineError> {
        self.announce()?;
        let input = TurnInput::observed(session, turn);
        let mention = Mention::resolve_accepted(&input.message, &self.models.registry);
        self.start_and_decide(turn.id(), input, &mention, turn.started_at, DecisionMode::Observed)
    }
}
