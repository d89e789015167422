//! Records decisions that hooks made and kept while no engine was running.

use std::sync::Arc;

use contracts::events::SkillRouted;
use event_bus::MAX_TEXT_BYTES;
use event_core::Timestamp;
use skills::{SkillRouter, SkillSettings, SkillSources};

use super::{decide::message_hash, prepared::PreparedSkills};
use crate::{engine::Engine, error::EngineError};

impl Engine {
    /// Records a decision that a hook made at `at`, as [`Engine::record_hook_decision`] does, and the skills that it read:
    /// `sources` is their JSON text, `None` if no skill was known. Returns `false` and records nothing if `text` or `sources` is
    /// not that of the decision, so that it could not be repeated, or the decision does not fit into an event. The events are durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read or written.
    pub fn record_kept_decision(
        &mut self,
        routed: &SkillRouted,
        at: Timestamp,
        text: Option<&str>,
        sources: Option<&str>,
    ) -> Result<bool, EngineError> {
        let has_same_text = text.is_none_or(|text| message_hash(text) == routed.text);
        if !has_same_text || sources.map(message_hash) != routed.sources {
            return Ok(false);
        }
        if let Some(sources) = sources {
            let Some(prepared) = self.prepare_text(routed.workspace.clone(), sources) else { return Ok(false) };
            let events = self.new_index_events(Some(&prepared))?;
            self.recorder.record(events)?;
        }
        match self.record_hook_decision(routed, at, text) {
            Ok(_) => Ok(true),
            Err(EngineError::Codec(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Prepares the skills with the JSON text `sources` under the active policy; `None` if it is not a text of skills
    /// or longer than the log can store.
    fn prepare_text(&self, workspace: Option<String>, sources: &str) -> Option<Arc<PreparedSkills>> {
        let fits = sources.len() <= MAX_TEXT_BYTES;
        let parsed: SkillSources = serde_json::from_str(sources).ok().filter(|_| fits)?;
        let policy = self.policy.active();
        let settings = SkillSettings::of_policy(&policy.policy).unwrap_or_default();
        Some(Arc::new(PreparedSkills {
            workspace,
            router: SkillRouter::new(parsed, settings).ok()?,
            text: sources.to_owned(),
            hash: message_hash(sources),
            policy: policy.hash,
            offered_only: 0,
            findings: Vec::new(),
            using_last_index: false,
        }))
    }
}
