//! A model failed before it answered: the chain is asked again without it, and that is a recorded step.

use contracts::{
    ClientRequest, Decision, FailedCandidate, MessageText, SessionId, TurnId,
    events::{RouteDecided, RouteFallback, TurnStarted},
};
use event_core::Event;
use router_core::{Banner, DECIDER_VERSION, banners, decide};

use crate::{
    again::{asked_again, fitting},
    capture::turn_of,
    engine::Engine,
    error::EngineError,
    recorder::turn_event,
};

/// The chain asked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallback {
    /// The event, as recorded.
    pub decided: RouteFallback,
    /// What the user is shown.
    pub banners: Vec<Banner>,
}

impl Engine {
    /// Decides who takes a turn after these models failed in it. Not yet on the disk.
    ///
    /// The turn is the one that was captured when it started; `request` is given when a later request of the turn fell
    /// through, since that may require more.
    ///
    /// # Errors
    /// [`EngineError::UnknownTurn`] for a turn that does not run, otherwise when the log cannot be read or written.
    pub fn fall_back(
        &mut self,
        session: &SessionId,
        turn: TurnId,
        message: &str,
        request: Option<ClientRequest>,
        failed: Vec<FailedCandidate>,
    ) -> Result<Fallback, EngineError> {
        self.react()?;
        let unknown = || EngineError::UnknownTurn(turn.to_string());
        let known = self.state().sessions.get(session).ok_or_else(unknown)?;
        let open = known.open(turn).ok_or_else(unknown)?.clone();
        // What is not on the disk cannot be read back.
        self.commit()?;
        let (at, started) = self.started(turn)?;
        let request = request.map(|mut request| {
            request.signed_by = self.signed_by(session, open.thread.as_ref(), &request);
            request
        });
        let now = self.now();
        let captured = turn_of(&started, at, MessageText::Present(message.to_owned()));
        let asked = asked_again(captured, request.as_ref(), &failed, now);
        let policy = self.policy.active();
        let made = self.state().with_views(now, |views| decide(&asked, &policy.policy, views));
        let banners = banners(&made.decision, &policy.policy, asked.spent_today);
        let decided = fitting(RouteFallback {
            turn,
            session: session.clone(),
            step: open.steps.saturating_add(1),
            failed,
            request,
            policy: policy.hash,
            catalogue: self.models.hash,
            decider: DECIDER_VERSION,
            based_on: self.recorder.position(),
            matched: made.matched,
            decision: made.decision,
        })?;
        let sealed = turn_event(turn, u64::from(decided.step), now, decided.clone())?
            .caused_by(turn.0.then(RouteDecided::KIND, 0));
        self.recorder.record([sealed])?;
        Ok(Fallback { decided, banners })
    }

    fn started(&self, turn: TurnId) -> Result<(event_core::Timestamp, TurnStarted), EngineError> {
        let unknown = || EngineError::UnknownTurn(turn.to_string());
        let position = self.log().find(turn.0.then(TurnStarted::KIND, 0))?.ok_or_else(unknown)?;
        let before = position.before().ok_or_else(unknown)?;
        let event = self.log().read_after(before, 1)?.into_iter().next().ok_or_else(unknown)?;
        let started = event.read::<TurnStarted>()?.ok_or_else(unknown)?;
        Ok((event.event.at, started))
    }
}

/// What a step decided, for whoever asks which model comes next.
impl AsRef<Decision> for Fallback {
    fn as_ref(&self) -> &Decision {
        &self.decided.decision
    }
}
