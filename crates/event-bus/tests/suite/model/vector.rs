//! [`Vector`], the reference implementation of a log: a minimal specification.

use std::collections::BTreeMap;

use event_bus::{Appended, LogError};
use event_core::{Checkpoint, NewEvent, Position, Recorded, Timestamp};

/// All accepted events in a vector, staged ones included.
#[derive(Default)]
pub(crate) struct Vector {
    /// Events in the order of positions.
    pub(crate) events: Vec<Recorded>,
    /// Number of durable events.
    pub(crate) synced: usize,
    /// Checkpoints by name.
    pub(crate) saved: BTreeMap<String, Checkpoint>,
}

/// Positions of the events of a batch, or the name of the error.
pub(crate) type Answer = Result<Vec<Position>, String>;

impl Vector {
    /// Returns the position of the last event.
    pub(crate) fn head(&self) -> u64 {
        self.events.len() as u64
    }

    /// Appends a batch as `EventLog::append` must, without limits of size.
    pub(crate) fn append(&mut self, expected: Option<u64>, at: u64, batch: &[NewEvent]) -> Answer {
        let before = self.events.len();
        let recorded_at = Timestamp(at).max(self.events.last().map_or(Timestamp(0), |event| event.recorded_at));
        let mut positions = Vec::new();
        for event in batch {
            let known = self.events.iter().find(|known| known.event.id == event.id).map(|known| known.position);
            positions.push(known.unwrap_or(Position(self.head() + 1)));
            if known.is_none() {
                self.events.push(Recorded::new(Position(self.head() + 1), recorded_at, event.clone()));
            }
        }
        let retry = self.events.len() == before && !batch.is_empty();
        if expected.is_some_and(|expected| expected != before as u64) && !retry {
            self.events.truncate(before);
            return Err("conflict".to_owned());
        }
        Ok(positions)
    }

    /// Restores events as `EventLog::restore` must.
    pub(crate) fn restore(&mut self, events: &[Recorded]) -> Answer {
        let before = self.events.len();
        for event in events {
            let last = self.events.last().map_or(Timestamp(0), |event| event.recorded_at);
            let repeated = self.events.iter().any(|known| known.event.id == event.event.id);
            let refused = if event.position.0 != self.head() + 1 || event.recorded_at < last {
                "out of order"
            } else if repeated {
                "repeated"
            } else {
                self.events.push(event.clone());
                continue;
            };
            self.events.truncate(before);
            return Err(refused.to_owned());
        }
        Ok(events.iter().map(|event| event.position).collect())
    }
}

/// Converts the result of a log to the form of the reference.
pub(crate) fn answer(appended: Result<Appended, LogError>) -> Answer {
    appended.map(|appended| appended.positions).map_err(|error| match error {
        LogError::Conflict { .. } => "conflict".to_owned(),
        LogError::OutOfOrder { .. } => "out of order".to_owned(),
        LogError::Repeated { .. } => "repeated".to_owned(),
        other => other.to_string(),
    })
}
