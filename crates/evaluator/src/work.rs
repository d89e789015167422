//! One model's work on a turn, and what was noticed about it.

use contracts::{ModelId, events::SignalKind};
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::signals::Signals;

/// What a turn is until the user gives it to another model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Work {
    /// Answered calls by model, in the order in which models were first called.
    calls: Vec<(ModelId, u64)>,
    /// The model the user asked for, and the event that shows it.
    chosen: Option<(ModelId, EventId)>,
    pub(crate) signals: Signals,
}

impl Work {
    pub(crate) fn chosen_by_user(model: ModelId, event: EventId) -> Self {
        Self { chosen: Some((model, event)), ..Self::default() }
    }

    /// Notes that the user asked for a model.
    pub(crate) fn choose(&mut self, model: ModelId, event: EventId) {
        self.chosen = Some((model, event));
        self.note_choice();
    }

    pub(crate) fn called(&mut self, model: &ModelId) {
        match self.calls.iter_mut().find(|(known, _)| known == model) {
            Some((_, calls)) => *calls = calls.saturating_add(1),
            None => self.calls.push((model.clone(), 1)),
        }
        self.note_choice();
    }

    /// A choice counts once the work is that of the model chosen.
    fn note_choice(&mut self) {
        if let Some((model, event)) = &self.chosen
            && self.model() == Some(model)
            && !self.signals.has(SignalKind::ChosenByUser)
        {
            self.signals.add(SignalKind::ChosenByUser, *event);
        }
    }

    /// Whether any model answered.
    pub(crate) const fn answered(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Whose work it is: the model that answered most of its calls, the first of several.
    pub(crate) fn model(&self) -> Option<&ModelId> {
        let most = self.calls.iter().map(|(_, calls)| *calls).max()?;
        self.calls.iter().find(|(_, calls)| *calls == most).map(|(model, _)| model)
    }
}
