//! [`RoutedRequest`], a skill decision with what followed it.

use contracts::{
    ContentHash, Score, SkillOutcome,
    events::{SkillModelReply, SkillRouted, SkillRoutingMode, TextBody},
};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    llm::LabelledReply,
    plugin_name::find_name,
    routing_log::{RecordedRequest, RoutingRecord, request_summary},
    settings::ConfidenceSettings,
    telemetry::{TaskLabel, TaskRecord, TruthSource},
};

/// The maximum number of loaded skills that are kept of a turn.
const MAX_LOADED: usize = 16;

/// A skill decision with what followed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutedRequest {
    /// The record of the decision. Its confidence has the default levels, and its summary is empty if the message is long or
    /// was not recorded.
    pub(super) record: RoutingRecord,
    /// The hash of a message that is too long for an event; `None` if it is short or was not recorded.
    pub(super) stored_text: Option<ContentHash>,
    /// How the decision was used.
    pub mode: SkillRoutingMode,
    /// The absolute path of the workspace; `None` if it is unknown.
    pub workspace: Option<String>,
    /// The hash of the skills that the decision read; `None` if no skill was known.
    pub sources: Option<ContentHash>,
    /// The skill that a model named when it was asked, and its confidence; `None` if none was asked or it named none.
    pub named_by_model: Option<(String, Score)>,
    /// The skills that the agent loaded in the turn, at most 16, each once.
    pub loaded: Vec<LoadedSkill>,
    /// The deferred skill that became due after a failure; `None` if there was none.
    pub activated: Option<LoadedSkill>,
    /// Whether the turn of the request ended completed.
    pub is_completed: bool,
}

/// A skill that was loaded or became due, with the event that proves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedSkill {
    /// The id of the event.
    pub event: EventId,
    /// The skill.
    pub skill: String,
}

impl RoutedRequest {
    /// Creates the request of a decision that the event `event` recorded at `at`. `routing_tokens` are those of models that
    /// were asked.
    pub(super) fn new(body: &SkillRouted, event: EventId, at: Timestamp, routing_tokens: u64) -> Self {
        let request = RecordedRequest {
            event,
            at,
            turn: body.turn,
            session: body.session.clone(),
            text: "",
            tokens: None,
            files: u32::try_from(body.inputs.files.len()).unwrap_or(u32::MAX),
            context: context_hash(body),
            routing_tokens,
        };
        Self {
            record: RoutingRecord::new(&request, &body.decision, &ConfidenceSettings::default()),
            stored_text: None,
            mode: body.mode,
            workspace: body.workspace.clone(),
            sources: body.sources,
            named_by_model: match &body.inputs.model_reply {
                Some(SkillModelReply::Skill { skill, confidence, .. }) => Some((skill.clone(), *confidence)),
                _ => None,
            },
            loaded: Vec::new(),
            activated: None,
            is_completed: false,
        }
    }

    /// Sets the message.
    pub(super) fn add_text(&mut self, text: TextBody) {
        match text {
            TextBody::Inline(text) => self.record.summary = request_summary(&text),
            TextBody::Stored { hash, .. } => self.stored_text = Some(hash),
        }
    }

    /// Returns the name of a skill as the decision writes it, which can differ by the name of the plugin.
    pub(super) fn decided_name(&self, skill: &str) -> String {
        let selected = self.record.outcome.skills().iter().map(String::as_str);
        find_name(skill, selected).unwrap_or(skill).to_owned()
    }

    /// Adds a skill that the agent loaded, unless it is known or too many are.
    pub(super) fn add_loaded(&mut self, mut loaded: LoadedSkill) {
        loaded.skill = self.decided_name(&loaded.skill);
        if self.loaded.len() < MAX_LOADED && !self.loaded.iter().any(|known| known.skill == loaded.skill) {
            self.loaded.push(loaded);
        }
    }

    /// Returns whether the decision counts in measurements: skills were known.
    pub const fn is_measured(&self) -> bool {
        self.sources.is_some()
    }

    /// Returns the record without a long message, and with the default levels of confidence.
    pub const fn record(&self) -> &RoutingRecord {
        &self.record
    }

    /// Returns the record with its message and the confidence under these levels.
    ///
    /// # Errors
    /// The error of `read_text`.
    pub fn complete_record<E>(
        &self,
        levels: &ConfidenceSettings,
        read_text: &mut impl FnMut(ContentHash) -> Result<Option<String>, E>,
    ) -> Result<RoutingRecord, E> {
        let mut record = self.record.clone();
        record.set_confidence_level(levels);
        record.needed = self.label().map(|label| label.needed);
        if let Some(hash) = self.stored_text {
            record.summary = read_text(hash)?.map(|text| request_summary(&text)).unwrap_or_default();
        }
        Ok(record)
    }

    /// Returns the skills that the decision loads, whether the user was asked, and the label.
    pub fn task(&self) -> TaskRecord {
        TaskRecord {
            event: self.record.event,
            loaded: self.record.outcome.loaded().to_vec(),
            asked: matches!(self.record.outcome, SkillOutcome::Ask { .. }),
            label: self.label(),
        }
    }

    /// Returns the confidence of the model that was asked, and whether the skill that it named was needed; `None` if it named
    /// none, or if the request has no label.
    pub fn labelled_reply(&self) -> Option<LabelledReply> {
        let (skill, confidence) = self.named_by_model.as_ref()?;
        let is_right = self.label()?.needed.contains(skill);
        Some(LabelledReply { confidence: *confidence, is_right })
    }

    /// Returns the skills that the request needed: those of a correction, or else the deferred skill with which the turn was
    /// completed after a failure, or else the skills that the agent loaded in a completed turn. `None` while the turn
    /// is not completed.
    fn label(&self) -> Option<TaskLabel> {
        let label = |needed: Vec<String>, source| Some(TaskLabel { needed, acceptable: Vec::new(), source });
        if let Some(correction) = &self.record.correction {
            return label(correction.target.iter().cloned().collect(), TruthSource::Corrected);
        }
        if !self.is_completed {
            return None;
        }
        if let Some(activated) = &self.activated {
            return label(vec![activated.skill.clone()], TruthSource::DeferredActivation);
        }
        label(self.loaded.iter().map(|loaded| loaded.skill.clone()).collect(), TruthSource::Loaded)
    }
}

/// Returns the hash of everything but the text that a decision read: other inputs, policy and skills. `None` if the inputs
/// cannot be encoded.
fn context_hash(body: &SkillRouted) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&serde_json::to_vec(&body.inputs).ok()?);
    hasher.update(&body.policy.0);
    hasher.update(&body.sources.map(|sources| sources.0).unwrap_or_default());
    Some(*hasher.finalize().as_bytes())
}
