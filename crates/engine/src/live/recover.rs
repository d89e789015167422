//! Ends the calls and turns that were running when the previous process was killed. The outcome of these calls is
//! unknown.

use contracts::events::{ErrorClass, LlmCallFailed, TurnStatus};
use event_core::EventType;

use super::CallFailure;
use crate::{engine::Engine, error::EngineError, turn_events::TurnEvents};

impl Engine {
    /// Ends the turns that had running calls when the previous process was killed: records each turn as failed, and
    /// each of these calls as failed with the class `other`. Skill decisions that waited for a model are made without it.
    /// Returns the number of turns. Durable on return.
    ///
    /// A turn that waits for a tool result stays open, since its client may still send it.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn recover(&mut self) -> Result<usize, EngineError> {
        let now = self.now();
        let mut lost_turns = Vec::new();
        for (session, session_state) in self.state().sessions.iter() {
            lost_turns.extend(session_state.interrupted_turns().map(|open| (session.clone(), open.clone())));
        }
        for (session, open) in &lost_turns {
            let model = open.model.clone();
            for waiting in 0..u64::from(open.calls_waiting) {
                let Some(model) = model.clone() else { continue };
                // Of the class `other`, which is no outage: how the call went is unknown.
                let class = ErrorClass::Other;
                let failure = CallFailure { class, status: None, retries: 0, usage: None, raw_usage: None, key: None };
                let registry = &self.models.registry;
                let events = TurnEvents { turn: open.turn, session, thread: &open.thread, registry };
                let id = open.turn.0.then(LlmCallFailed::KIND, 1_000_000 + waiting);
                let sealed = events.seal(id, now, open.started, events.call_failed(model, &failure))?;
                self.recorder.record([sealed])?;
            }
            self.end_turn(session, open.turn, TurnStatus::Failed)?;
        }
        self.record_unanswered_questions()?;
        self.commit()?;
        Ok(lost_turns.len())
    }
}
