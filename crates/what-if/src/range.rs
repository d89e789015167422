//! Which turns are asked about.

use contracts::SessionId;
use event_core::Timestamp;

/// The turns of a time and of a session; without limits, all of them.
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
    /// Whether a turn is among them.
    pub fn holds(&self, at: Timestamp, session: &SessionId) -> bool {
        self.from.is_none_or(|from| from <= at)
            && self.to.is_none_or(|to| at < to)
            && self.session.as_ref().is_none_or(|wanted| wanted == session)
    }
}
