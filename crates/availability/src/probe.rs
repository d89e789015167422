//! [`Probe`], the first call after an automatic recovery. While it runs, the scope (a model or a provider) is
//! unavailable for other calls.

use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{outage::CauseEvent, thresholds::PROBE_SECONDS};

/// The call that tests whether a model or provider has recovered, after its outage ended automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Probe {
    /// The id of the call's start event.
    pub(crate) call: EventId,
    /// The time at which the call was sent.
    pub(crate) since: Timestamp,
}

impl Probe {
    /// Returns the time from which other calls are allowed even if the probe has not ended.
    pub(crate) const fn deadline(&self) -> Timestamp {
        self.since.plus_secs(PROBE_SECONDS)
    }

    /// Returns whether the probe, if it has not ended, blocks other calls at the time `at`: from its start to its
    /// deadline.
    pub(crate) fn is_running_at(&self, at: Timestamp) -> bool {
        self.since <= at && at < self.deadline()
    }

    /// Returns whether the event `cause` records the outcome of the probe.
    pub(crate) fn is_completed_by(&self, cause: CauseEvent) -> bool {
        cause.call == Some(self.call)
    }
}
