//! [`SkillHistory`], the projection of the latest skill decisions with what followed each of them.

mod request;
#[cfg(test)]
mod tests;

use contracts::{
    BoundedMap, ContentHash, Event, SessionId, TurnId, event_subset,
    events::{SkillCorrected, SkillModelAsked, SkillRouted, TextBody, TurnStatus},
};
use event_core::{EventId, Projection, Recorded};
use serde::{Deserialize, Serialize};

pub use request::{LoadedSkill, RoutedRequest};

use crate::{
    llm::LabelledReply,
    routing_log::{Correction, RoutingRecord},
    settings::ConfidenceSettings,
    telemetry::TaskRecord,
};

/// The maximum number of decisions in the history. A decision takes about as much memory as its event, which has at most
/// 4 kB, so that all take at most about 8 MB.
pub const MAX_DECISIONS: usize = 2_000;
/// The maximum number of turns whose message was recorded before their skill decision.
const MAX_EARLY_TEXTS: usize = 64;
/// The maximum number of messages about which a model was asked and that are not decided yet.
const MAX_ASKED: usize = 64;

event_subset! {
    /// The events about skill decisions, the messages that they read, and what followed them.
    pub enum SkillHistoryEvent {
        SkillActivated,
        SkillCorrected,
        SkillLoaded,
        SkillModelAsked,
        SkillPromptRecorded,
        SkillReused,
        SkillRouted,
        TurnEnded,
        TurnTextRecorded,
    }
}

/// The latest skill decisions of a log, oldest first, each with its message, the skills that the agent loaded, and the
/// user's correction. Telemetry, routing log, coverage gaps, detectors and roadmap are computed from it.
///
/// An event costs a look-up in a map. At most [`MAX_DECISIONS`] decisions are kept.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillHistory {
    /// The decisions by the ids of their events.
    decisions: BoundedMap<EventId, RoutedRequest>,
    /// The decision of each turn.
    turns: BoundedMap<TurnId, EventId>,
    /// Messages of turns without a decision so far.
    early_texts: BoundedMap<TurnId, TextBody>,
    /// The tokens of the models that were asked about a message, until the message is decided.
    asked: BoundedMap<(SessionId, ContentHash), u64>,
    /// The number of all decisions, also of those that are no longer kept.
    total: u64,
    /// The number of events that added or changed a decision.
    changes: u64,
}

impl Projection for SkillHistory {
    const NAME: &'static str = "skill history";
    const VERSION: u32 = 4;
    type Events = Event;
    type Folded<'a> = SkillHistoryEvent<'a>;

    fn apply(&mut self, event: SkillHistoryEvent<'_>, recorded: &Recorded) {
        match event {
            SkillHistoryEvent::SkillRouted(body) => self.add_decision(body, recorded),
            SkillHistoryEvent::SkillReused(body) => {
                let text = self.early_texts.remove(&body.turn);
                if let Some(request) = self.change(body.decision) {
                    request.record.turn = Some(body.turn);
                    if let Some(text) = text {
                        request.add_text(text);
                    }
                    self.turns.insert(body.turn, body.decision, MAX_DECISIONS);
                }
            }
            SkillHistoryEvent::SkillPromptRecorded(body) => {
                if let Some(request) = self.change(body.decision) {
                    request.add_text(body.text.clone());
                }
            }
            SkillHistoryEvent::TurnTextRecorded(body) => match self.of_turn(body.turn) {
                Some(request) => request.add_text(body.text.clone()),
                None => {
                    self.early_texts.insert(body.turn, body.text.clone(), MAX_EARLY_TEXTS);
                }
            },
            SkillHistoryEvent::SkillLoaded(body) => {
                if let Some(request) = self.of_turn(body.turn) {
                    request.add_loaded(LoadedSkill { event: recorded.event.id, skill: body.skill.clone() });
                }
            }
            SkillHistoryEvent::SkillActivated(body) => {
                if let Some(request) = self.change(body.decision) {
                    request.activated = Some(LoadedSkill { event: recorded.event.id, skill: body.skill.clone() });
                }
            }
            SkillHistoryEvent::TurnEnded(body) => {
                if let Some(request) = self.of_turn(body.turn) {
                    request.is_completed = body.status == TurnStatus::Completed;
                }
            }
            SkillHistoryEvent::SkillCorrected(body) => self.correct(body, recorded.event.id),
            SkillHistoryEvent::SkillModelAsked(body) => self.add_model_tokens(body),
        }
    }
}

impl SkillHistory {
    /// Adds a decision, and removes the oldest one beyond the maximum.
    fn add_decision(&mut self, body: &SkillRouted, recorded: &Recorded) {
        let id = recorded.event.id;
        if self.decisions.get(&id).is_some() {
            return;
        }
        let tokens = self.asked.remove(&(body.session.clone(), body.text)).unwrap_or_default();
        let mut request = RoutedRequest::new(body, id, recorded.event.at, tokens);
        if let Some(turn) = body.turn {
            if let Some(text) = self.early_texts.remove(&turn) {
                request.add_text(text);
            }
            self.turns.insert(turn, id, MAX_DECISIONS);
        }
        self.total += 1;
        self.changes += 1;
        self.decisions.insert(id, request, MAX_DECISIONS);
    }

    /// Sets the correction of a decision. The last one counts.
    fn correct(&mut self, body: &SkillCorrected, event: EventId) {
        if let Some(request) = self.change(body.decision) {
            let target = body.skill.as_deref().map(|skill| request.decided_name(skill));
            request.record.correction = Some(Correction { event, target });
        }
    }

    /// Adds the tokens of a model that was asked about a message.
    fn add_model_tokens(&mut self, body: &SkillModelAsked) {
        let Some(usage) = body.usage else { return };
        let key = (body.session.clone(), body.text);
        let tokens = usage.input_total().saturating_add(usage.output);
        let earlier = self.asked.remove(&key).unwrap_or_default();
        self.asked.insert(key, tokens.saturating_add(earlier), MAX_ASKED);
    }

    /// Returns the decision of a turn to change it; `None` if it has none in the history.
    fn of_turn(&mut self, turn: TurnId) -> Option<&mut RoutedRequest> {
        let id = *self.turns.get(&turn)?;
        self.change(id)
    }

    /// Returns a decision to change it; `None` if the history does not contain it.
    fn change(&mut self, id: EventId) -> Option<&mut RoutedRequest> {
        let request = self.decisions.get_mut(&id)?;
        self.changes += 1;
        Some(request)
    }

    /// Returns the number of all decisions of the log, also of those that are no longer kept.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of events that added or changed a decision, so that equal numbers mean equal histories of one log.
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns a decision by the id of its event; `None` if the history does not contain it.
    pub fn request(&self, id: EventId) -> Option<&RoutedRequest> {
        self.decisions.get(&id)
    }

    /// Returns the decisions, oldest first.
    pub fn requests(&self) -> impl DoubleEndedIterator<Item = &RoutedRequest> {
        self.decisions.values()
    }

    /// Returns the record of each decision that `is_included` accepts, oldest first. `levels` are the levels of confidence
    /// of the active policy. `read_text` returns a long message from the store of texts by its hash; `None` if it was
    /// removed.
    ///
    /// # Errors
    /// The first error of `read_text`.
    pub fn records<E>(
        &self,
        levels: &ConfidenceSettings,
        is_included: impl Fn(&RoutedRequest) -> bool,
        mut read_text: impl FnMut(ContentHash) -> Result<Option<String>, E>,
    ) -> Result<Vec<RoutingRecord>, E> {
        let included = self.requests().filter(|request| is_included(request));
        included.map(|request| request.complete_record(levels, &mut read_text)).collect()
    }

    /// Returns the task of each decision that `is_included` accepts, oldest first, with the label that followed from the
    /// log.
    pub fn tasks(&self, is_included: impl Fn(&RoutedRequest) -> bool) -> Vec<TaskRecord> {
        self.requests().filter(|request| is_included(request)).map(RoutedRequest::task).collect()
    }

    /// Returns the labelled replies of models about the requests that `is_included` accepts, oldest first.
    pub fn labelled_replies(&self, is_included: impl Fn(&RoutedRequest) -> bool) -> Vec<LabelledReply> {
        self.requests().filter(|request| is_included(request)).filter_map(RoutedRequest::labelled_reply).collect()
    }
}
