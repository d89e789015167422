//! Handles a request of a live client: starts a turn, or continues one.

use contracts::{
    ModelId, SessionId, TurnId,
    events::{DecisionMode, TurnEnded, TurnStatus},
};
use event_core::EventType;

use super::turn_counts;
use crate::{
    engine::Engine,
    error::EngineError,
    mention::Mention,
    turn_events::TurnEvents,
    turn_input::TurnInput,
    turn_outcome::{Route, TurnOutcome},
};

impl Engine {
    /// Handles a request of a client: continues the running turn that it belongs to, or else starts a turn and decides
    /// its model.
    ///
    /// Before a new turn starts, the abandoned turns of its thread are ended. New tool results in the request are
    /// recorded unless the turn was refused. The events are durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError::Override`] if the `@` mention of a new turn names no model; nothing is recorded then. Otherwise
    /// if the log cannot be written.
    pub fn arrive(&mut self, mut input: TurnInput) -> Result<TurnOutcome, EngineError> {
        self.load_session(&input.session)?;
        self.resolve(&mut input);
        let message_turns = self.turn_counts.count_turns(&self.recorder, &input.session, &input.name)?;
        let running = input.continues.then(|| self.turn_to_continue(&input, message_turns.count)).flatten();
        let outcome = if let Some((turn, model)) = running {
            let mention = Mention::resolve_accepted(&input.message, &self.models.registry);
            let mention_bytes = self.mention_bytes(&input, &mention);
            let (at, route, banners) = (self.now(), Route::Locked(model), Vec::new());
            TurnOutcome { turn, at, input, mention_bytes, route, banners }
        } else {
            let mention = self.mention(&input)?;
            // An outage may have ended since the last event, which the decision must know.
            self.record_consequences()?;
            self.start_session(&input)?;
            self.end_abandoned(&input, message_turns.count)?;
            let turn = message_turns.next_turn(&input.session, &input.name);
            let outcome = self.start_and_decide(turn, input, &mention, self.now(), DecisionMode::Live)?;
            self.turn_counts.add_turn(message_turns);
            outcome
        };
        if outcome.model().is_some() && !outcome.input.tool_results.is_empty() {
            self.record_tool_results(&outcome.input.session, outcome.turn, &outcome.input.tool_results)?;
        }
        Ok(outcome)
    }

    /// Returns the open turn that a request continues, with its model: the latest turn that waits for one of the
    /// request's tool results, or else the latest turn of the same message. `earlier_turns` is the number of turns of
    /// that message. `None` if there is no such turn, or it was refused.
    fn turn_to_continue(&self, input: &TurnInput, earlier_turns: u64) -> Option<(TurnId, ModelId)> {
        let session = self.state().sessions.get(&input.session)?;
        let mut waiting = session.open.iter().filter(|open| open.thread == input.thread);
        let open = waiting.rfind(|open| open.waits_for(&input.tool_results)).or_else(|| {
            let last = earlier_turns.checked_sub(1)?;
            session.open_turn(turn_counts::turn_id(&input.session, &input.name, last))
        })?;
        Some((open.turn, open.model.clone()?))
    }

    /// Records the end of a turn and the verdicts on it; does nothing if the turn is not open. The events are durable
    /// after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn end_turn(&mut self, session: &SessionId, turn: TurnId, status: TurnStatus) -> Result<(), EngineError> {
        self.load_session(session)?;
        let open = self.state().sessions.get(session).and_then(|session| session.open_turn(turn));
        let Some(open) = open else { return Ok(()) };
        let events = TurnEvents { turn, session, thread: &open.thread, registry: &self.models.registry };
        let event = events.turn_ended(status, open.llm_calls, open.tool_calls);
        let sealed = events.seal(turn.0.then(TurnEnded::KIND, 0), self.now(), events.decision_id(), event)?;
        self.recorder.record([sealed])?;
        self.record_due_verdicts()
    }
}
