//! The health of one scope (a model or a provider): consecutive failures, latest outage, running probe.

use contracts::events::RecoveredBy;
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    outage::{Cause, End, Outage},
    probe::Probe,
    thresholds::QUIET_SECONDS,
};

/// Health of a model or a provider: consecutive failures, latest outage and running probe.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Health {
    /// Time of the latest attempt.
    newest: Timestamp,
    /// Consecutive failures since the last success or automatic recovery.
    failures: u32,
    /// Time of the first of them.
    failing_since: Timestamp,
    /// The active outage, or the latest one.
    outage: Option<Outage>,
    /// Whether the latest outage recovered automatically and no call has succeeded since.
    needs_probe: bool,
    /// The latest probe: the call that tests a scope after an automatic recovery.
    probe: Option<Probe>,
}

impl Health {
    /// Records an attempt. Returns false, without a change, if it is older than the latest one.
    pub(crate) fn attempted(&mut self, at: Timestamp) -> bool {
        if at < self.newest {
            return false;
        }
        let auto_recovery_at = self.auto_recovery_at();
        if auto_recovery_at <= at {
            self.failures = 0;
            self.auto_recover(auto_recovery_at);
        }
        self.newest = at;
        true
    }

    /// Records the start of a call. It becomes the probe if one is needed and none is running. Ignored if it is older than
    /// the latest attempt.
    pub(crate) fn sent(&mut self, call: EventId, at: Timestamp) {
        let recovered_automatically = self.active().is_some() && self.auto_recovery_at() <= at;
        let is_first = self.probe.is_none_or(|probe| probe.until() <= at);
        if self.newest <= at && (self.needs_probe || recovered_automatically) && is_first {
            self.probe = Some(Probe { call, since: at });
        }
    }

    /// Records the end of a call that is neither success nor failure of the scope. If it was the probe, the next call is.
    pub(crate) fn release_probe(&mut self, cause: Cause) {
        self.probe.take_if(|probe| probe.is_answered_by(cause));
    }

    /// Whether a failure proves that the scope has not recovered: it is that of the probe, or occurred during it.
    pub(crate) fn proves_outage(&self, cause: Cause) -> bool {
        self.probe.is_some_and(|probe| probe.is_answered_by(cause) || probe.runs(cause.at))
    }

    /// Counts a failure whose attempt was recorded.
    pub(crate) const fn failed(&mut self, at: Timestamp) {
        if self.failures == 0 {
            self.failing_since = at;
        }
        self.failures = self.failures.saturating_add(1);
    }

    /// Resets failures, probe and outage after a success whose attempt was recorded.
    pub(crate) fn succeeded(&mut self, cause: Cause) {
        self.failures = 0;
        (self.needs_probe, self.probe) = (false, None);
        if let Some(outage) = self.active_mut() {
            outage.end = Some(End { by: RecoveredBy::Success, cause });
        }
    }

    /// Starts an outage. Returns the previous one if its recovery has not been announced in the log.
    pub(crate) fn start_outage(&mut self, outage: Outage) -> Option<Outage> {
        (self.needs_probe, self.probe) = (false, None);
        self.outage.replace(outage).filter(Outage::is_unclosed)
    }

    /// The active outage. It recovers automatically at [`Health::auto_recovery_at`].
    pub(crate) fn active(&self) -> Option<&Outage> {
        self.outage.as_ref().filter(|outage| outage.end.is_none())
    }

    /// The active outage, or the latest one.
    pub(crate) const fn latest(&self) -> Option<&Outage> {
        self.outage.as_ref()
    }

    /// As [`Health::latest`], mutable.
    pub(crate) const fn latest_mut(&mut self) -> Option<&mut Outage> {
        self.outage.as_mut()
    }

    /// Ends the active outage by automatic recovery at `at`.
    pub(crate) fn auto_recover(&mut self, at: Timestamp) {
        if let Some(outage) = self.active_mut() {
            outage.end = Some(outage.auto_recovery(at));
            self.needs_probe = true;
        }
    }

    /// The time of automatic recovery without further attempts: [`QUIET_SECONDS`] after the latest attempt.
    pub(crate) const fn auto_recovery_at(&self) -> Timestamp {
        self.newest.plus_secs(QUIET_SECONDS)
    }

    /// The end of the outage or probe that began by `at`; `None` if there is none.
    pub(crate) fn unavailable_until(&self, at: Timestamp) -> Option<Timestamp> {
        let outage = self.active().filter(|outage| outage.cause.at <= at).map(|_| self.auto_recovery_at());
        let probe = self.probe.filter(|probe| probe.since <= at).map(|probe| probe.until());
        outage.max(probe)
    }

    /// The probe that is running at a time.
    pub(crate) fn probe(&self, at: Timestamp) -> Option<Probe> {
        self.probe.filter(|probe| probe.runs(at))
    }

    /// The number of consecutive failures at a time, and the time of the first; `None` if there are none.
    pub(crate) fn failures(&self, at: Timestamp) -> Option<(u32, Timestamp)> {
        (0 < self.failures && at < self.auto_recovery_at()).then_some((self.failures, self.failing_since))
    }

    fn active_mut(&mut self) -> Option<&mut Outage> {
        self.outage.as_mut().filter(|outage| outage.end.is_none())
    }
}
