//! Turns observed elsewhere go through the engine: decided as they would have been, and recorded as they were.

use std::collections::BTreeSet;

use contracts::{
    Needs,
    events::{DecisionMode, SessionSource},
};
use router_core::address;
use transcripts::observed::{ObservedSession, ObservedTurn};

use crate::{
    capture::{Seen, Snapshot},
    decision::DecidedTurn,
    engine::Engine,
    error::EngineError,
    observe::{events_after_decision, session_event},
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
    ) -> Result<Option<DecidedTurn>, EngineError> {
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

    fn decide_observed(&mut self, session: &ObservedSession, turn: &ObservedTurn) -> Result<DecidedTurn, EngineError> {
        self.announce()?;
        // A message that another client took may start with `@` for that client's reasons.
        let addressed = address(&turn.message, &self.models.registry).ok();
        let (override_model, message) = match addressed {
            Some(addressed) => (addressed.override_model, addressed.text),
            None => (None, turn.message.as_str()),
        };
        let state = self.recorder.state();
        let before = &turn.before;
        let started = Snapshot {
            turn: turn.id(),
            session: turn.session.clone(),
            thread: turn.thread.clone(),
            at: turn.started_at,
            offset_minutes: (self.offset)(turn.started_at),
            message,
            override_model,
            sticky: state.sessions.get(&turn.session).and_then(|session| session.next_sticky().cloned()),
            delegation: None,
            workspace: session.workspace.clone(),
            needs: Needs { images: before.images, tools: true, system_prompt: true, structured_output: false },
            images: turn.message_has_images,
            prompt: before.prompt,
            skills: BTreeSet::new(),
            spent_today: state.costs.spent_today(turn.started_at),
            seen: Seen {
                tool_calls: 0 < before.tool_calls,
                extensions: &before.extensions,
                directories: &before.directories,
                tools: &before.tools,
                side_effects: &before.side_effects,
            },
            workload: None,
            request: None,
        };
        self.start_and_decide(started, DecisionMode::Observed)
    }
}
