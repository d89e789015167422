//! Ends the turns that were running when the previous process was killed.

use contracts::events::{ErrorClass, LlmCallFailed, TurnStatus};
use event_core::{EventType, NewEvent};

use crate::{engine::Engine, error::EngineError, open_turn::OpenTurn};

impl Engine {
    /// Ends the turns whose LLM calls were running when the previous process was killed: their calls are recorded as
    /// failed and the turns as failed. Returns the number of turns, when the events are durable.
    ///
    /// A turn that waits for tool results stays open, because its client may still send them.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn recover(&mut self) -> Result<usize, EngineError> {
        let now = self.now();
        let mut lost = Vec::new();
        for (session, known) in self.state().sessions.iter() {
            let gateway = known.gateway_since.is_some();
            // A gateway turn can be killed after a failed call and before the next one. It then waits for no call and
            // no tool.
            let is_lost = |open: &&OpenTurn| 0 < open.calls_waiting || gateway && open.tools_waiting.is_empty();
            lost.extend(known.open.iter().filter(is_lost).map(|open| (session.clone(), open.clone())));
        }
        for (session, open) in &lost {
            let model = open.model.clone();
            for waiting in 0..u64::from(open.calls_waiting) {
                let Some(model) = model.clone() else { continue };
                // The outcome of the call is unknown, so the error must not count against the provider.
                let class = ErrorClass::Other;
                let event = LlmCallFailed {
                    turn: open.turn,
                    session: session.clone(),
                    thread: open.thread.clone(),
                    model,
                    class,
                    status: None,
                    retries: 0,
                    usage: None,
                    cost: None,
                    raw_usage: None,
                };
                let id = open.turn.0.then(LlmCallFailed::KIND, 1_000_000 + waiting);
                self.recorder.record([NewEvent::new(id, now, open.turn.0, &event)?.caused_by(open.started)])?;
            }
            self.end(session, open.turn, TurnStatus::Failed)?;
        }
        self.commit()?;
        Ok(lost.len())
    }
}
