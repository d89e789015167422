//! The filter for turns by time and session.

use contracts::SessionId;
use event_core::Timestamp;

/// A filter for turns by start time and session; without limits it selects all turns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Range {
    /// Only turns that started at this time or later; `None` for no limit.
    pub from: Option<Timestamp>,
    /// Only turns that started before this time; `None` for no limit.
    pub to: Option<Timestamp>,
    /// Only turns of this session; `None` for all sessions.
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
