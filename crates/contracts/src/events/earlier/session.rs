//! Earlier layouts of events about sessions.

use serde::{Deserialize, Serialize};

use crate::{
    SessionId,
    events::{CompactionTrigger, SessionCompacted, event, sample},
};

/// `session.compacted` as it was first: whose history it was, the main line's or a sub-agent's, was not said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `SessionCompacted`")]
pub struct SessionCompactedV1 {
    pub session: SessionId,
    pub trigger: CompactionTrigger,
    pub tokens_before: Option<u64>,
}

impl From<SessionCompactedV1> for SessionCompacted {
    fn from(old: SessionCompactedV1) -> Self {
        Self { session: old.session, thread: None, trigger: old.trigger, tokens_before: old.tokens_before }
    }
}

event!(
    SessionCompactedV1,
    "session.compacted",
    1,
    Internal,
    "The history of a session was replaced by a summary; the first layout, no longer written.",
    SessionCompactedV1 {
        session: sample::session(),
        trigger: CompactionTrigger::Automatic,
        tokens_before: Some(155_333),
    }
);
