//! The filter for turns by time and session.

use contracts::SessionId;
use event_core::Timestamp;

/// A filter for turns by start time and session; without limits it selects all turns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Range {
    /// Turns that started at this moment or later.
    pub from: Option<Timestamp>,
    /// Turns that started before this moment.
    pub to: Option<Timestamp>,
    /// Turns of this session.
    pub session: Option<SessionId>,
}

impl Range {
    /// Returns whether a turn of `session` that started at `at` is selected.
    pub fn contains(&self, at: Timestamp, session: &SessionId) -> bool {
        self.from.is_none_or(|from| from <= at)
            && self.to.is_none_or(|to| at < to)
            && self.session.as_ref().is_none_or(|wanted| wanted == session)
    }
}
