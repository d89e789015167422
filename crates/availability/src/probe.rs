//! [`Probe`], the first call after an automatic recovery. While it runs, the scope is unavailable for other calls.

use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{outage::Cause, thresholds::PROBE_SECONDS};

/// The call that tests whether a scope has recovered, after an outage ended automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Probe {
    /// The id of the call's start event.
    pub(crate) call: EventId,
    /// The time at which the call was sent.
    pub(crate) since: Timestamp,
}

impl Probe {
    /// Returns the time from which other calls are allowed even if the probe has no outcome.
    pub(crate) const fn deadline(&self) -> Timestamp {
        self.since.plus_secs(PROBE_SECONDS)
    }

    /// Returns whether the probe blocks other calls at a time, if it has no outcome.
    pub(crate) fn is_running_at(&self, at: Timestamp) -> bool {
        self.since <= at && at < self.deadline()
    }

    /// Returns whether an event is the outcome of this call.
    pub(crate) fn is_completed_by(&self, cause: Cause) -> bool {
        cause.call == Some(self.call)
    }
}
