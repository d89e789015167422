//! The work of one model on a turn, and the signals about it.

use contracts::{ModelId, events::SignalKind};
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::signals::SignalList;

/// The part of a turn that one model did, up to the reassignment of the turn to another model: its calls, and the
/// signals about their quality.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct EvaluatedWork {
    /// The number of answered calls of each model, in the order of first calls.
    calls: Vec<(ModelId, u64)>,
    /// The model that the user chose, with the event of the choice; `None` without a choice.
    chosen: Option<(ModelId, EventId)>,
    /// The signals about this work.
    pub(crate) signals: SignalList,
}

impl EvaluatedWork {
    /// Creates the work of a model to which the user reassigned the turn. `event` is the event of the choice.
    pub(crate) fn chosen_by_user(model: ModelId, event: EventId) -> Self {
        Self { chosen: Some((model, event)), ..Self::default() }
    }

    /// Records that the user chose a model for this work; `event` is the event of the choice. The choice becomes a
    /// signal once that model has the most answered calls.
    pub(crate) fn record_choice(&mut self, model: ModelId, event: EventId) {
        self.chosen = Some((model, event));
        self.add_choice_signal();
    }

    /// Counts an answered call of a model, and adds the signal of the user's choice if it has become due.
    pub(crate) fn add_call(&mut self, model: &ModelId) {
        match self.calls.iter_mut().find(|(known, _)| known == model) {
            Some((_, calls)) => *calls = calls.saturating_add(1),
            None => self.calls.push((model.clone(), 1)),
        }
        self.add_choice_signal();
    }

    /// Adds the signal of the user's choice if the chosen model has the most answered calls. Adds it at most once.
    fn add_choice_signal(&mut self) {
        if let Some((model, event)) = &self.chosen
            && self.model() == Some(model)
            && !self.signals.contains(SignalKind::ChosenByUser)
        {
            self.signals.add(SignalKind::ChosenByUser, *event);
        }
    }

    /// Whether any model call of this work has been answered.
    pub(crate) const fn is_answered(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Returns the model that has the most answered calls, the first one called in a tie; `None` if no call was
    /// answered.
    pub(crate) fn model(&self) -> Option<&ModelId> {
        let most = self.calls.iter().map(|(_, calls)| *calls).max()?;
        self.calls.iter().find(|(_, calls)| *calls == most).map(|(model, _)| model)
    }
}
