//! [`State`], which a bus owns together with its log, and [`Appender`], a state that only appends.

use std::sync::Arc;

use event_core::NewEvent;

use super::BusError;
use crate::{Appended, Clock, EventLog, Expected, LogError};

/// A state that records events in a log. The thread of a [`Bus`](super::Bus) owns it from the start of the bus to its
/// close.
///
/// Commands change the state and stage events in its log, in memory. [`State::commit`] makes all events staged since
/// the last commit durable. The bus calls it once for a group of commands.
pub trait State: Send + 'static {
    /// Returns the log to which commands on this state append their events.
    fn log(&self) -> &Arc<dyn EventLog>;

    /// Stages a batch of events, appended by [`Bus::append`](super::Bus::append) or a reactor, and folds them into the
    /// state. `expected` is the head of the log that the batch requires.
    ///
    /// # Errors
    /// The errors of [`EventLog::append`]; [`BusError::Projection`] if an event cannot be folded.
    fn append(&mut self, expected: Expected, batch: &[NewEvent]) -> Result<Appended, BusError>;

    /// Makes every staged event durable and visible to readers.
    ///
    /// # Errors
    /// The errors of [`EventLog::sync`]. The bus then accepts no more commands. After [`LogError::Full`] it calls this
    /// again until it succeeds.
    fn commit(&mut self) -> Result<(), LogError>;

    /// Reloads inputs other than the log, such as a policy file, if they have changed. The bus calls it before each
    /// command, so it must be fast. Returns whether it staged events.
    fn refresh(&mut self) -> bool {
        false
    }

    /// Restores the state after a command panicked: the state may contain a part of what the command did. `cause` is the
    /// message of the panic. The bus calls it before the next command.
    ///
    /// # Errors
    /// [`BusError`] if the state cannot be restored. The bus then accepts no more commands.
    fn recover(&mut self, cause: &str) -> Result<(), BusError>;

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

    /// Does nothing, since the log is the only state.
    fn recover(&mut self, _: &str) -> Result<(), BusError> {
        Ok(())
    }

    fn close(self) -> Result<(), BusError> {
        Ok(self.log.close()?)
    }
}
