//! The work of one model on a turn, and its signals.

use contracts::{ModelId, events::SignalKind};
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::signals::SignalList;

/// The work of one model on a turn: its calls, up to the reassignment of the turn to another model, and the signals
/// about them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct JudgedWork {
    /// The number of answered calls of each model, in the order of first calls.
    calls: Vec<(ModelId, u64)>,
    /// The model that the user chose, with the event of the choice; `None` without a choice.
    chosen: Option<(ModelId, EventId)>,
    /// The signals about this work.
    pub(crate) signals: SignalList,
}

impl JudgedWork {
    /// Creates the work of a model that the user chose with the event `event`.
    pub(crate) fn chosen_by_user(model: ModelId, event: EventId) -> Self {
        Self { chosen: Some((model, event)), ..Self::default() }
    }

    /// Records that the user chose a model with the event `event`. The choice becomes a signal once that model has done
    /// the work.
    pub(crate) fn choose(&mut self, model: ModelId, event: EventId) {
        self.chosen = Some((model, event));
        self.add_choice_signal();
    }

    /// Counts an answered call of a model.
    pub(crate) fn add_call(&mut self, model: &ModelId) {
        match self.calls.iter_mut().find(|(known, _)| known == model) {
            Some((_, calls)) => *calls = calls.saturating_add(1),
            None => self.calls.push((model.clone(), 1)),
        }
        self.add_choice_signal();
    }

    /// Adds the signal of the user's choice, once, if the chosen model has the most answered calls.
    fn add_choice_signal(&mut self) {
        if let Some((model, event)) = &self.chosen
            && self.model() == Some(model)
            && !self.signals.contains(SignalKind::ChosenByUser)
        {
            self.signals.add(SignalKind::ChosenByUser, *event);
        }
    }

    /// Whether any model call of the work was answered.
    pub(crate) const fn is_answered(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Returns the model with the most answered calls, the first of several; `None` without an answered call.
    pub(crate) fn model(&self) -> Option<&ModelId> {
        let most = self.calls.iter().map(|(_, calls)| *calls).max()?;
        self.calls.iter().find(|(_, calls)| *calls == most).map(|(model, _)| model)
    }
}
