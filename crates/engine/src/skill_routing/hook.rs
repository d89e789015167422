//! Decides the skills of a prompt that a client's hook asks about, before the client sends it.

use std::sync::Arc;

use contracts::{
    ContentHash, Sealed, SessionId, SkillReason, Thread, TurnId,
    events::{SkillModelReply, SkillPromptRecorded, SkillRouted, SkillRoutingMode},
};
use event_core::{EventId, EventType as _, Timestamp};

use super::{
    decide::message_hash,
    prepared::PreparedSkills,
    record::{RoutedMessage, following_events},
};
use crate::{capture::TextRecording, engine::Engine, error::EngineError, insight::find_skill_decision};

/// A prompt of the user that a client's hook asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookPrompt {
    /// The session, as the client names it.
    pub session: SessionId,
    /// The absolute path of the workspace; `None` if it is unknown.
    pub workspace: Option<String>,
    /// The prompt.
    pub prompt: String,
    /// The time at which the hook was called.
    pub at: Timestamp,
}

impl Engine {
    /// Decides which skills a prompt loads, with the `prepared` skills (`None` if none are known), and records the decision.
    /// A turn with the same message in the same session then refers to it. If such a turn has started since the hook was called,
    /// its decision is returned and nothing is recorded. The events are durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read or written.
    pub fn route_prompt(
        &mut self,
        prompt: &HookPrompt,
        prepared: Option<&Arc<PreparedSkills>>,
    ) -> Result<SkillRouted, EngineError> {
        self.load_session(&prompt.session)?;
        self.record_configuration()?;
        let text = self.text_to_match(&prompt.prompt).to_owned();
        let decided = self.turn_decided_since(prompt, &text);
        if let Some(turn) = decided
            && let Some(routed) = find_skill_decision(self.log().as_ref(), turn)?
        {
            return Ok(routed);
        }
        let prepared = self.current_skills(prepared);
        let message = RoutedMessage {
            turn: None,
            session: &prompt.session,
            thread: &Thread::Main,
            workspace: prompt.workspace.as_deref(),
            text: &text,
            mode: SkillRoutingMode::Hook,
            interactive: true,
        };
        let mut routed = self.decide_skills(&message, prepared.as_deref(), None);
        if routed.decision.chain.iter().any(|entry| entry.reason == SkillReason::LlmNotAsked) {
            // A hook has some milliseconds.
            let reply = SkillModelReply::Unavailable { cause: "a hook does not wait for a model".to_owned() };
            routed = self.decide_skills(&message, prepared.as_deref(), Some(reply));
        }
        if decided.is_some() {
            // The decision of the turn is not durable yet, so it cannot be read.
            return Ok(routed);
        }
        let index = self.new_index_events(prepared.as_deref())?;
        self.recorder.record(index)?;
        self.record_hook_decision(&routed, prompt.at, Some(&text))?;
        Ok(routed)
    }

    /// Returns the running turn of the session with the message `text` whose skills were decided after the hook was called;
    /// `None` if there is none.
    fn turn_decided_since(&self, prompt: &HookPrompt, text: &str) -> Option<TurnId> {
        let hash = message_hash(text);
        let is_decided = |(decided, at): (ContentHash, Timestamp)| decided == hash && prompt.at <= at;
        let session = self.state().sessions.get(&prompt.session)?;
        session.open.iter().find(|open| open.routed.is_some_and(is_decided)).map(|open| open.turn)
    }

    /// Records a decision that a hook made at `at` while no engine was running. `text` is the message, which is recorded if
    /// the policy allows it; `None` if it is unknown. Does nothing if the decision is recorded already: its id follows from
    /// session, message and time. The events are durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written, or the decision does not fit into an event.
    pub fn record_hook_decision(
        &mut self,
        routed: &SkillRouted,
        at: Timestamp,
        text: Option<&str>,
    ) -> Result<EventId, EngineError> {
        self.load_session(&routed.session)?;
        let correlation = routed.session.correlation();
        let id = hook_decision_id(routed, at);
        let mut events = vec![Sealed::new(id, at, correlation, Arc::new(routed.clone()))?];
        events.extend(following_events(routed, id, at, correlation)?);
        if let Some(text) = text.filter(|_| self.text_recording() != TextRecording::FeaturesOnly) {
            let recorded =
                SkillPromptRecorded { decision: id, session: routed.session.clone(), text: self.store_text(text)? };
            let sealed = Sealed::new(id.then(SkillPromptRecorded::KIND, 0), at, correlation, Arc::new(recorded))?;
            events.push(sealed.caused_by(id));
        }
        self.recorder.record(events)?;
        Ok(id)
    }
}

/// Returns the id of the event of a hook's decision at `at`.
fn hook_decision_id(routed: &SkillRouted, at: Timestamp) -> EventId {
    EventId::derive(&[
        SkillRouted::KIND.as_bytes(),
        routed.session.as_str().as_bytes(),
        &routed.text.0,
        &at.0.to_le_bytes(),
    ])
}
