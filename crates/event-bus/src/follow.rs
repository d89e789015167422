//! [`LogFollower`], which folds a log into a state on demand.

use std::sync::Arc;

use event_core::{Position, Recorded};

use crate::{EventLog, LogError};

/// Maximum number of events that are read from the log at once.
const EVENTS_PER_READ: usize = 512;

/// A state that is updated on demand from an event log: [`LogFollower::catch_up`] folds the events since the last call
/// into it. There is no background task and no checkpoint.
///
/// The log may be written by another process: see [`JournalReader`](crate::JournalReader). For a projection that
/// follows a bus in the background, see [`Bus::project`](crate::Bus::project).
pub struct LogFollower<S> {
    /// The log that events are read from.
    log: Arc<dyn EventLog>,
    /// State after the last folded event.
    state: S,
    /// Position of the last folded event. `None` until the first [`LogFollower::catch_up`] of a follower created by
    /// [`LogFollower::near_head`].
    position: Option<Position>,
    /// Number of events before the head at which [`LogFollower::near_head`] starts.
    lookback: u64,
}

impl<S> std::fmt::Debug for LogFollower<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogFollower").field("position", &self.position).finish_non_exhaustive()
    }
}

impl<S> LogFollower<S> {
    /// Creates a follower of `log` whose `state` includes the events up to `position`.
    pub fn new(log: Arc<dyn EventLog>, position: Position, state: S) -> Self {
        Self { log, state, position: Some(position), lookback: 0 }
    }

    /// Creates a follower that starts `lookback` events before the head of the log at the time of the first
    /// [`LogFollower::catch_up`]; earlier events are not folded.
    pub fn near_head(log: Arc<dyn EventLog>, lookback: u64, state: S) -> Self {
        Self { log, state, position: None, lookback }
    }

    /// Folds all new events of the log into the state by calling `apply` with each, and returns the position of the
    /// last one. Blocks while the log is read.
    ///
    /// # Errors
    /// [`LogError`] if the log cannot be read, and the errors of `apply`. The next call starts with the event that
    /// failed.
    pub fn catch_up<E: From<LogError>>(
        &mut self,
        mut apply: impl FnMut(&mut S, &Recorded) -> Result<(), E>,
    ) -> Result<Position, E> {
        let head = self.log.head()?;
        let mut position = self.position.unwrap_or_else(|| Position(head.0.saturating_sub(self.lookback)));
        while position < head {
            let events = self.log.read_after(position, EVENTS_PER_READ)?;
            if events.is_empty() {
                break;
            }
            for event in &events {
                apply(&mut self.state, event)?;
                position = event.position;
                self.position = Some(position);
            }
        }
        self.position = Some(position);
        Ok(position)
    }

    /// Returns the state as of the last [`LogFollower::catch_up`].
    pub const fn state(&self) -> &S {
        &self.state
    }

    /// Returns the position of the last folded event; [`Position::ORIGIN`] before the first [`LogFollower::catch_up`]
    /// of a follower that starts near the head.
    pub fn position(&self) -> Position {
        self.position.unwrap_or(Position::ORIGIN)
    }
}

#[cfg(test)]
#[cfg(not(any(feature = "model-loom", feature = "model-shuttle")))]
mod tests {
    use event_core::Timestamp;

    use super::*;
    use crate::{Expected, MemoryLog, testing::new_event};

    /// Appends one event for each number to a log and syncs it.
    fn append(log: &MemoryLog, numbers: std::ops::Range<u64>) {
        for number in numbers {
            log.append(Expected::Any, Timestamp(number), &[new_event(number)]).unwrap();
        }
        log.sync().unwrap();
    }

    /// Adds the position of an event to a list.
    #[expect(clippy::unnecessary_wraps, reason = "the signature that `catch_up` takes")]
    fn collect(positions: &mut Vec<u64>, event: &Recorded) -> Result<(), LogError> {
        positions.push(event.position.0);
        Ok(())
    }

    #[test]
    fn each_event_is_folded_once_from_the_lookback_on() {
        let log = Arc::new(MemoryLog::new());
        append(&log, 0..1_000);
        let mut follow = LogFollower::near_head(log.clone(), 600, Vec::new());
        append(&log, 1_000..1_100);
        assert_eq!(follow.catch_up(collect).unwrap(), Position(1_100));
        append(&log, 1_100..1_101);
        assert_eq!(follow.catch_up(collect).unwrap(), Position(1_101));
        assert_eq!(*follow.state(), (501..=1_101).collect::<Vec<_>>());
    }

    #[test]
    fn an_event_that_cannot_be_folded_is_folded_by_the_next_call() {
        let log = Arc::new(MemoryLog::new());
        append(&log, 0..10);
        let mut follow = LogFollower::new(log, Position(2), Vec::new());
        let refuse = |positions: &mut Vec<u64>, event: &Recorded| match event.position {
            Position(5) => Err(LogError::ReadOnly { path: "test".into() }),
            _ => collect(positions, event),
        };
        follow.catch_up(refuse).unwrap_err();
        assert_eq!(follow.position(), Position(4));
        follow.catch_up(collect).unwrap();
        assert_eq!(*follow.state(), (3..=10).collect::<Vec<_>>());
    }
}
