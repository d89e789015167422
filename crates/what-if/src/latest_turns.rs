//! [`LatestTurns`], a bounded part at the end of the log, and where a walk starts.

use contracts::events::TurnStarted;
use engine::DecisionState;
use event_bus::EventLog;
use event_core::{EventType as _, Position};

use crate::error::WhatIfError;

/// The number of events that are read at once while the start of the turns is searched.
const EVENTS_PER_READ: u64 = 512;

/// The latest turns of a log, limited by the number of turns and by the number of events to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatestTurns {
    /// The maximum number of turns.
    pub turns: u64,
    /// The maximum number of events between the start of the first of them and the end of the log.
    pub events: u64,
}

impl LatestTurns {
    /// Returns the position before the first of the latest `turns` turns, or `events` events before the end of the log if
    /// fewer turns began since. Reads the log backwards, 512 events at a time; `is_cancelled` receives the position that
    /// was reached, after each read.
    ///
    /// # Errors
    /// [`WhatIfError::Log`] if the log cannot be read, [`WhatIfError::Stopped`] if `is_cancelled` returned true.
    pub(crate) fn start(
        self,
        log: &dyn EventLog,
        is_cancelled: &mut dyn FnMut(Position) -> bool,
    ) -> Result<Position, WhatIfError> {
        let head = log.head()?.0;
        let earliest = head.saturating_sub(self.events);
        let (mut end, mut turn_count) = (head, 0);
        while earliest < end && turn_count < self.turns {
            let start = end.saturating_sub(EVENTS_PER_READ).max(earliest);
            let events = log.read_after(Position(start), usize::try_from(end - start).unwrap_or(usize::MAX))?;
            for event in events.iter().rev().filter(|event| event.event.kind == TurnStarted::KIND) {
                turn_count += 1;
                if turn_count == self.turns {
                    return Ok(Position(event.position.0 - 1));
                }
            }
            if is_cancelled(Position(start)) {
                return Err(WhatIfError::Stopped);
            }
            end = start;
        }
        Ok(Position(earliest))
    }
}

/// The position in the log at which a walk starts, which determines the state that decisions are repeated with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkStart {
    /// At the first event: every decision has exactly the state that it was made from.
    Origin,
    /// After a position. Outages that began before it are unknown; recommendations are taken from the recorded
    /// decisions.
    After(Position),
}

impl WalkStart {
    /// Returns the state at the start.
    pub(crate) fn state(self) -> DecisionState {
        match self {
            Self::Origin => DecisionState::default(),
            Self::After(position) => DecisionState::without_patterns(position),
        }
    }
}
