//! [`State`], which a bus owns together with its log, and [`Appender`], a state that only appends.

use std::sync::Arc;

use event_core::NewEvent;

use super::BusError;
use crate::{Appended, Clock, EventLog, Expected, LogError};

/// A state that records events in a log, owned by the thread of a [`Bus`](super::Bus) from its start to its close.
///
/// Commands change the state and stage events in its log. [`State::commit`] makes all events staged since the last
/// commit durable; the bus calls it once for a group of commands.
pub trait State: Send + 'static {
    /// Returns the log in which the state records.
    fn log(&self) -> &Arc<dyn EventLog>;

    /// Stages a batch of events that [`Bus::append`](super::Bus::append) or a reactor appends, and folds them into the
    /// state. `expected` is the head that the batch requires.
    ///
    /// # Errors
    /// As [`EventLog::append`]; [`BusError::Projection`] if an event cannot be folded.
    fn append(&mut self, expected: Expected, batch: &[NewEvent]) -> Result<Appended, BusError>;

    /// Makes every staged event durable and visible.
    ///
    /// # Errors
    /// As [`EventLog::sync`]. The bus then accepts no more commands; after [`LogError::Full`] it calls this again until it
    /// succeeds.
    fn commit(&mut self) -> Result<(), LogError>;

    /// Reloads inputs other than the log, such as a policy file, if they have changed. Called before each command, so it
    /// must be fast. Returns whether it staged events.
    fn refresh(&mut self) -> bool {
        false
    }

    /// Commits, saves checkpoints so that the next start is fast, and closes the log. The bus calls it last.
    ///
    /// # Errors
    /// [`BusError`] if the log or a checkpoint cannot be written.
    fn close(self) -> Result<(), BusError>;
}

/// The state of a bus that only appends: a log, and a clock for `recorded_at`.
pub struct Appender {
    /// Log that events are appended to.
    log: Arc<dyn EventLog>,
    /// Source of the times at which events are recorded.
    clock: Box<dyn Clock>,
}

impl std::fmt::Debug for Appender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Appender").finish_non_exhaustive()
    }
}

impl Appender {
    /// Creates a state that appends to `log`. `clock` is the source of the times at which events are recorded.
    pub fn new(log: Arc<dyn EventLog>, clock: impl Clock) -> Self {
        Self { log, clock: Box::new(clock) }
    }
}

impl State for Appender {
    fn log(&self) -> &Arc<dyn EventLog> {
        &self.log
    }

    fn append(&mut self, expected: Expected, batch: &[NewEvent]) -> Result<Appended, BusError> {
        Ok(self.log.append(expected, self.clock.now(), batch)?)
    }

    fn commit(&mut self) -> Result<(), LogError> {
        self.log.sync()
    }

    fn close(self) -> Result<(), BusError> {
        Ok(self.log.close()?)
    }
}
