//! Records the repairs that were made when the log was opened.

use contracts::events::{LogRepaired, RepairAction};
use event_bus::Repair;
use event_core::{EventId, NewEvent};

use crate::{engine::Engine, error::EngineError};

/// The maximum length of the description of a repair in an event, in characters; the rest is cut off.
const MAX_DETAIL_CHARS: usize = 500;

impl Engine {
    /// Records the repairs that were made when the log was opened, in their order. Durable on return.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn record_repairs(&mut self, repairs: &[Repair]) -> Result<(), EngineError> {
        let now = self.now();
        let correlation = EventId::derive(&[b"log"]);
        let events = (0_u8..).zip(repairs).map(|(number, repair)| {
            let detail = repair.detail.chars().take(MAX_DETAIL_CHARS).collect();
            let event = LogRepaired { action: recorded_action(repair.action), position: repair.position, detail };
            let id = EventId::derive(&[b"log.repaired", &now.0.to_le_bytes(), &[number]]);
            NewEvent::new(id, now, correlation, &event)
        });
        self.record(events.collect::<Result<_, _>>()?)
    }
}

/// Converts the action of a repair by the event bus to that of the recorded event.
const fn recorded_action(action: event_bus::RepairAction) -> RepairAction {
    match action {
        event_bus::RepairAction::TailCut => RepairAction::TailCut,
        event_bus::RepairAction::HeadRewritten => RepairAction::HeadRewritten,
        event_bus::RepairAction::IndexExtended => RepairAction::IndexExtended,
        event_bus::RepairAction::IndexRebuilt => RepairAction::IndexRebuilt,
    }
}
