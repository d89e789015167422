//! [`Health`], the state of one scope (a model or a provider), which is folded from its calls: consecutive failures,
//! latest outage and running probe.

use contracts::events::RecoveredBy;
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    outage::{CauseEvent, Outage, OutageEnd},
    probe::Probe,
    thresholds::RECOVERY_SECONDS,
};

/// Health of one scope (a model or a provider): consecutive failures, latest outage and running probe.
///
/// An *attempt* is a call of the scope that ended, unless it was cancelled. A *probe* is the call that tests whether
/// the scope has recovered, after an outage ended automatically.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Health {
    /// Time of the latest attempt; 0 before the first. Older events are ignored.
    latest_attempt: Timestamp,
    /// Number of consecutive failures since the last success, reset, or pause of [`RECOVERY_SECONDS`] without attempts.
    failures: u32,
    /// Time of the first of the consecutive failures. Not meaningful if there are no failures.
    failing_since: Timestamp,
    /// The active outage, or the latest one if none is active; `None` before the first outage.
    outage: Option<Outage>,
    /// Whether the latest outage ended automatically and no call has succeeded since, so that the next call is a probe.
    needs_probe: bool,
    /// Whether the provider responded to the latest attempt: the call succeeded, or failed for a reason other than the
    /// provider.
    has_answered: bool,
    /// The latest probe; `None` before the first, and after a probe has ended.
    probe: Option<Probe>,
}

impl Health {
    /// Records an attempt that ended at `at`. If the outage recovered automatically before `at`, ends it first and
    /// resets the failures. Returns `false`, without a change, if the attempt is older than the latest one.
    pub(crate) fn record_attempt(&mut self, at: Timestamp) -> bool {
        if at < self.latest_attempt {
            return false;
        }
        let auto_recovery_at = self.auto_recovery_at();
        if auto_recovery_at <= at {
            self.failures = 0;
            self.auto_recover(auto_recovery_at);
        }
        self.latest_attempt = at;
        self.has_answered = true;
        true
    }

    /// Records the start of a call; `call` is the id of its event. The call becomes the probe if the scope needs one
    /// and no other probe is running. Ignored if it is older than the latest attempt.
    pub(crate) fn record_start(&mut self, call: EventId, at: Timestamp) {
        let recovered_automatically = self.active_outage().is_some() && self.auto_recovery_at() <= at;
        let no_probe_runs = self.probe.is_none_or(|probe| probe.deadline() <= at);
        if self.latest_attempt <= at && (self.needs_probe || recovered_automatically) && no_probe_runs {
            self.probe = Some(Probe { call, since: at });
        }
    }

    /// Records the end of a call that proves neither the success nor the failure of the scope. If the call was the
    /// probe, the next call becomes the probe.
    pub(crate) fn release_probe(&mut self, cause: CauseEvent) {
        self.probe.take_if(|probe| probe.is_completed_by(cause));
    }

    /// Returns whether the failure `cause` proves that the scope has not recovered: it is the failure of the probe, or
    /// occurred while the probe was running.
    pub(crate) fn proves_outage(&self, cause: CauseEvent) -> bool {
        self.probe.is_some_and(|probe| probe.is_completed_by(cause) || probe.is_running_at(cause.at))
    }

    /// Counts a failed attempt. Must be called after [`Health::record_attempt`], and only if that returned `true`.
    pub(crate) const fn count_failure(&mut self, at: Timestamp) {
        if self.failures == 0 {
            self.failing_since = at;
        }
        self.failures = self.failures.saturating_add(1);
        self.has_answered = false;
    }

    /// Records a successful attempt: resets failures and probe, and ends the active outage. Must be called after
    /// [`Health::record_attempt`], and only if that returned `true`.
    pub(crate) fn record_success(&mut self, cause: CauseEvent) {
        self.failures = 0;
        (self.needs_probe, self.probe) = (false, None);
        if let Some(outage) = self.active_outage_mut() {
            outage.end = Some(OutageEnd { by: RecoveredBy::Success, cause });
        }
    }

    /// Starts an outage and discards the probe. Returns the previous outage if the log has the event of its start but
    /// not of its end. `None` if there was none, or if the log has both events or neither.
    pub(crate) fn start_outage(&mut self, outage: Outage) -> Option<Outage> {
        (self.needs_probe, self.probe) = (false, None);
        self.outage.replace(outage).filter(Outage::is_unclosed)
    }

    /// Returns the active outage; `None` if there is none. It ends automatically at [`Health::auto_recovery_at`], which
    /// this function does not check.
    pub(crate) fn active_outage(&self) -> Option<&Outage> {
        self.outage.as_ref().filter(|outage| outage.end.is_none())
    }

    /// Returns the active outage, or the latest one if none is active; `None` before the first outage.
    pub(crate) const fn latest_outage(&self) -> Option<&Outage> {
        self.outage.as_ref()
    }

    /// Returns the outage of [`Health::latest_outage`] for modification. `None` if there was no outage.
    pub(crate) const fn latest_outage_mut(&mut self) -> Option<&mut Outage> {
        self.outage.as_mut()
    }

    /// Ends the active outage, if any, by automatic recovery at the time `at`. The next call becomes the probe.
    pub(crate) fn auto_recover(&mut self, at: Timestamp) {
        if let Some(outage) = self.active_outage_mut() {
            outage.end = Some(outage.auto_recovery(at));
            self.needs_probe = true;
        }
    }

    /// Ends the active outage, if any, for a reason `by` other than a call, such as a changed key. Failures and probe
    /// are reset, and the next call is no probe.
    pub(crate) fn end_outage(&mut self, by: RecoveredBy, at: Timestamp) {
        self.failures = 0;
        (self.needs_probe, self.probe) = (false, None);
        if let Some(outage) = self.active_outage_mut() {
            outage.end = Some(outage.end_by(by, at));
        }
    }

    /// Returns the time at which an outage ends automatically if no further attempt is made: [`RECOVERY_SECONDS`] after
    /// the latest attempt.
    pub(crate) const fn auto_recovery_at(&self) -> Timestamp {
        self.latest_attempt.plus_secs(RECOVERY_SECONDS)
    }

    /// Returns the time until which the scope is unavailable: the expected end of the active outage or of the probe,
    /// whichever is later. Outages and probes that started after `at` are not considered. `None` if the scope is
    /// available.
    pub(crate) fn unavailable_until(&self, at: Timestamp) -> Option<Timestamp> {
        let outage = self.active_outage().filter(|outage| outage.cause.at <= at).map(|_| self.auto_recovery_at());
        let probe = self.probe.filter(|probe| probe.since <= at).map(|probe| probe.deadline());
        outage.max(probe)
    }

    /// Returns the probe that is running at the time `at`; `None` if no probe is running.
    pub(crate) fn running_probe(&self, at: Timestamp) -> Option<Probe> {
        self.probe.filter(|probe| probe.is_running_at(at))
    }

    /// Returns the time of the latest attempt if the provider responded to it; `None` if that attempt failed or there
    /// was none.
    pub(crate) fn answered_at(&self) -> Option<Timestamp> {
        self.has_answered.then_some(self.latest_attempt)
    }

    /// Returns the number of consecutive failures at the time `at`, and the time of the first one. `None` if there are
    /// none, or if an automatic recovery has reset them.
    pub(crate) fn failures(&self, at: Timestamp) -> Option<(u32, Timestamp)> {
        (0 < self.failures && at < self.auto_recovery_at()).then_some((self.failures, self.failing_since))
    }

    /// Returns the outage of [`Health::active_outage`] for modification. `None` if no outage is active.
    fn active_outage_mut(&mut self) -> Option<&mut Outage> {
        self.outage.as_mut().filter(|outage| outage.end.is_none())
    }
}
