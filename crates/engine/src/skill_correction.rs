//! Records which skill a decision should have loaded, as the user states it.

use contracts::events::{SkillCorrected, SkillRouted};
use event_core::{EventId, EventType as _, NewEvent};

use crate::{engine::Engine, error::EngineError};

/// The maximum length of the name of a skill in bytes.
const MAX_NAME_BYTES: usize = 128;

impl Engine {
    /// Records that a skill decision should have loaded `skill`; `None` if it should have loaded none. `decision` is the id
    /// of its `skill.routed` event. A later correction replaces an earlier one. Durable on return.
    ///
    /// # Errors
    /// [`EngineError::UnknownSkillDecision`] if the log has no such decision, [`EngineError::SkillName`] if the name is empty,
    /// too long or has control characters; otherwise [`EngineError`] if the log cannot be read or written.
    pub fn correct_skill(&mut self, decision: EventId, skill: Option<String>) -> Result<SkillCorrected, EngineError> {
        let is_name =
            |name: &&String| !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.chars().any(char::is_control);
        if let Some(name) = skill.as_ref().filter(|name| !is_name(name)) {
            return Err(EngineError::SkillName(name.clone()));
        }
        let recorded = self.log().event_with_id(decision)?;
        let routed = recorded.map(|event| event.read::<SkillRouted>()).transpose()?.flatten();
        let routed = routed.ok_or_else(|| EngineError::UnknownSkillDecision(decision.to_string()))?;
        let corrected = SkillCorrected { decision, session: routed.session, turn: routed.turn, skill };
        let position = self.recorder.position().0.to_le_bytes();
        let id = EventId::derive(&[SkillCorrected::KIND.as_bytes(), &decision.0, &position]);
        let correlation = corrected.turn.map_or_else(|| corrected.session.correlation(), |turn| turn.0);
        self.recorder.record([NewEvent::new(id, self.now(), correlation, &corrected)?.caused_by(decision)])?;
        self.commit()?;
        Ok(corrected)
    }
}
