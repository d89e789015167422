//! Fallback: after models failed before the first byte of a response, the turn is decided again without them.

use contracts::{
    FailedCandidate, MessageText, Turn, TurnId,
    events::{RouteDecided, RouteFallback, TurnStarted},
};
use event_core::{EventType, Timestamp};
use router_core::{DECIDER_VERSION, Fallback, NoticeContext, TurnStage, banners, decide};

use crate::{
    engine::Engine,
    error::EngineError,
    recorder::turn_event,
    repeat::shorten_to_fit,
    turn_outcome::{Route, TurnOutcome},
};

impl Engine {
    /// Returns whether the policy allows another model for a turn whose call failed (decision D36). `outcome` is the
    /// outcome of the request whose call failed.
    pub fn allows_fallback(&self, outcome: &TurnOutcome) -> bool {
        let session = self.state().sessions.get(&outcome.input.session);
        let has_response =
            session.and_then(|session| session.open_turn(outcome.turn)).is_some_and(|open| 0 < open.llm_calls);
        match self.policy.active().policy.gateway().fallback {
            Fallback::Any => true,
            Fallback::TurnStart => !has_response,
            Fallback::Never => false,
        }
    }

    /// Decides a running turn again without the models that have `failed`, and records the decision. `outcome` is the
    /// outcome of the request whose call failed last. The event is durable after [`Engine::commit`].
    ///
    /// The decision reads the turn as captured at its start, the request of `outcome` (which may have more requirements
    /// than the first request of the turn), and the current outages.
    ///
    /// # Errors
    /// [`EngineError::UnknownTurn`] if the turn does not run, otherwise if the log cannot be read or written.
    pub fn fall_back(
        &mut self,
        outcome: &TurnOutcome,
        failed: Vec<FailedCandidate>,
    ) -> Result<TurnOutcome, EngineError> {
        self.record_consequences()?;
        let (turn, mut input) = (outcome.turn, outcome.input.clone());
        self.load_session(&input.session)?;
        // Events since the last decision may have ended an outage or added a signer.
        self.resolve(&mut input);
        let unknown = || EngineError::UnknownTurn(turn.to_string());
        let session = self.state().sessions.get(&input.session).ok_or_else(unknown)?;
        let open = session.open_turn(turn).ok_or_else(unknown)?;
        let (step, skills, wish) = (open.steps.saturating_add(1), open.skills.clone(), open.wish.clone());
        // Only durable events can be read back.
        self.commit()?;
        let (at, started) = self.read_started(turn)?;
        self.recorder.load_workspace(started.workspace.as_deref())?;
        let now = self.now();
        let captured = Turn {
            skills: &skills,
            wish: wish.as_deref(),
            ..Turn::new(&started, at, MessageText::Present(outcome.text()))
        };
        // Outages are read for now; the rest of the turn stays as captured.
        let request = input.request.as_ref().or(captured.request);
        let retried = Turn { at: now, request, failed: &failed, ..captured };
        let policy = self.policy.active();
        let result = self.state().with_views(now, |views| decide(&retried, &policy.policy, views));
        let context = NoticeContext {
            policy: Some(&policy.policy),
            spent_today: started.spent_today,
            turn: Some(&retried),
            stage: TurnStage::Decided,
        };
        let banners = banners(&result.decision, &context);
        let decided = shorten_to_fit(RouteFallback {
            turn,
            session: input.session.clone(),
            step,
            failed,
            request: input.request.clone(),
            policy: policy.hash,
            catalogue: self.models.hash,
            decider: DECIDER_VERSION,
            based_on: self.recorder.position(),
            matched: result.matched,
            decision: result.decision,
        })?;
        let sealed =
            turn_event(turn, u64::from(step), now, decided.clone())?.caused_by(turn.0.then(RouteDecided::KIND, 0));
        self.recorder.record([sealed])?;
        let (mention_bytes, route) = (outcome.mention_bytes.clone(), Route::Fallback(Box::new(decided)));
        Ok(TurnOutcome { turn, at: now, input, mention_bytes, route, banners })
    }

    /// Reads the event that captured a turn at its start, and the time of the event.
    fn read_started(&self, turn: TurnId) -> Result<(Timestamp, TurnStarted), EngineError> {
        let unknown = || EngineError::UnknownTurn(turn.to_string());
        let event = self.log().event_with_id(turn.0.then(TurnStarted::KIND, 0))?.ok_or_else(unknown)?;
        let started = event.read::<TurnStarted>()?.ok_or_else(unknown)?;
        Ok((event.event.at, started))
    }
}
