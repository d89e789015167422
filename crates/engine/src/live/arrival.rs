//! A request that came in: the start of a turn, or one more step of it.

use std::collections::BTreeSet;

use contracts::{
    ClientRequest, ModelId, Requirement, SessionId, ThreadId, TurnId,
    events::{DecisionMode, TurnEnded, TurnStatus},
};
use event_core::Event;
use router_core::address;

use super::attempts;
use crate::{
    engine::Engine,
    error::EngineError,
    open_turn::OpenTurn,
    recorder::turn_event,
    turns::{NewTurn, StartedTurn},
};

/// A request that came in.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// What it says. Its name is that of the user's message it is about, however often that was sent.
    pub new: NewTurn,
    /// Whether it brings the answers of tools, so that the turn goes on.
    pub continues: bool,
    /// Which calls of tools it answers.
    pub answers: Vec<String>,
    /// The calls of tools in its history, where several runs of one prompt may be one session: by them a request knows
    /// what is its own past. `None` where all that its thread has left open is.
    pub calls: Option<BTreeSet<String>>,
}

/// What a request is to the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrived {
    /// It starts a turn, which was decided.
    Started(Box<StartedTurn>),
    /// It goes on with a turn on the model that it is locked to (004 §3.2).
    Continues {
        /// The turn.
        turn: TurnId,
        /// Its model.
        model: ModelId,
    },
}

impl Engine {
    /// Takes a request: decides the turn it starts, or finds the one it goes on with. Not yet on the disk.
    ///
    /// # Errors
    /// [`EngineError::Override`] for a message addressed to no model: nothing is recorded then. Otherwise when the log
    /// cannot be written.
    pub fn arrive(&mut self, arrival: &Arrival) -> Result<Arrived, EngineError> {
        let new = &arrival.new;
        let message = self.attempts.of(&self.recorder, &new.session, &new.name)?;
        if arrival.continues
            && let Some((turn, model)) = self.running(arrival, message.sent)
        {
            return Ok(Arrived::Continues { turn, model });
        }
        // An address that names no model is found before anything is recorded.
        address(&new.message, &self.models.registry)?;
        self.react()?;
        self.see_session(new)?;
        self.end_what_was_left(arrival, message.sent)?;
        let turn = message.next(&new.session, &new.name);
        let made =
            self.with_snapshot(new, turn, |engine, snapshot| engine.start_and_decide(snapshot, DecisionMode::Live))?;
        self.attempts.note(message);
        Ok(Arrived::Started(Box::new(StartedTurn { made, trouble: self.untold.take() })))
    }

    /// The turn that a request goes on with, and the model it is locked to: the one that waits for what it brings, or
    /// else the one in which its message was sent last.
    fn running(&self, arrival: &Arrival, sent_before: u64) -> Option<(TurnId, ModelId)> {
        let new = &arrival.new;
        let session = self.state().sessions.get(&new.session)?;
        let waits = |open: &&OpenTurn| open.thread == new.thread && open.waits_for(&arrival.answers);
        let open = session.open.iter().rfind(waits).or_else(|| {
            let last = sent_before.checked_sub(1)?;
            session.open(attempts::turn(&new.session, &new.name, last))
        })?;
        Some((open.turn, open.model.clone()?))
    }

    /// Whose signed thinking a request holds: what the log knows of its thread, or else the model its client takes it to
    /// be. Whoever hands a request to [`Engine::arrive`] asks this first.
    pub fn signed_by(
        &self,
        session: &SessionId,
        thread: Option<&ThreadId>,
        request: &ClientRequest,
    ) -> BTreeSet<ModelId> {
        if !request.requires.contains(&Requirement::Signatures) {
            return BTreeSet::new();
        }
        let known = self.state().sessions.get(session).map(|session| session.signers(thread)).unwrap_or_default();
        if known.is_empty() { request.named.iter().cloned().collect() } else { known }
    }

    /// Ends a turn, if it runs. Not yet on the disk.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn end(&mut self, session: &SessionId, turn: TurnId, status: TurnStatus) -> Result<(), EngineError> {
        let open = self.state().sessions.get(session).and_then(|session| session.open(turn)).cloned();
        let Some(open) = open else { return Ok(()) };
        let (llm_calls, tool_calls) = (open.llm_calls, open.tool_calls);
        let event = TurnEnded { turn, session: session.clone(), status, llm_calls, tool_calls };
        let cause = turn.0.then(contracts::events::RouteDecided::KIND, 0);
        let sealed = turn_event(turn, 0, self.now(), event)?.caused_by(cause);
        self.recorder.record([sealed])?;
        self.judge()
    }
}
