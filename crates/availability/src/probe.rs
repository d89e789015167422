//! The first call after an outage that ended by itself: while it runs, everybody else waits for what comes of it.

use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{outage::Cause, thresholds::PROBE_SECONDS};

/// A call that finds out whether a scope is well again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Probe {
    /// The event that it was sent.
    pub(crate) call: EventId,
    /// When it was sent.
    pub(crate) since: Timestamp,
}

impl Probe {
    /// When others may try, though it was not answered.
    pub(crate) const fn until(&self) -> Timestamp {
        self.since.plus_secs(PROBE_SECONDS)
    }

    /// Whether it keeps others away at a time.
    pub(crate) fn runs(&self, at: Timestamp) -> bool {
        self.since <= at && at < self.until()
    }

    /// Whether this is what came of it.
    pub(crate) fn is_answered_by(&self, cause: Cause) -> bool {
        cause.call == Some(self.call)
    }
}
