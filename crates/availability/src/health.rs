//! [`Health`], the state of one scope (a model or a provider) that is folded from its calls: consecutive failures,
//! latest outage, running probe.

use contracts::events::RecoveredBy;
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    outage::{Cause, End, Outage},
    probe::Probe,
    thresholds::RECOVERY_SECONDS,
};

/// Health of a model or a provider: consecutive failures, latest outage and running probe.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Health {
    /// Time of the latest attempt; 0 before the first. Older events are ignored.
    newest: Timestamp,
    /// Number of consecutive failures since the last success, reset, or pause of [`RECOVERY_SECONDS`] without attempts.
    failures: u32,
    /// Time of the first of the consecutive failures; meaningless without failures.
    failing_since: Timestamp,
    /// The active outage, or the latest one if none is active; `None` if there was never one.
    outage: Option<Outage>,
    /// Whether the latest outage recovered automatically and no call has succeeded since.
    needs_probe: bool,
    /// Whether the latest attempt was answered: it succeeded, or failed for a reason other than the provider.
    answered: bool,
    /// The latest probe, the call that tests a scope after an automatic recovery; `None` without one, or after its
    /// outcome.
    probe: Option<Probe>,
}

impl Health {
    /// Records an attempt, and before it the automatic recovery if that was due by `at`, which resets the failures.
    /// Returns false, without a change, if the attempt is older than the latest one.
    pub(crate) fn record_attempt(&mut self, at: Timestamp) -> bool {
        if at < self.newest {
            return false;
        }
        let auto_recovery_at = self.auto_recovery_at();
        if auto_recovery_at <= at {
            self.failures = 0;
            self.auto_recover(auto_recovery_at);
        }
        self.newest = at;
        self.answered = true;
        true
    }

    /// Records the start of a call; `call` is the id of its event. It becomes the probe if one is needed and none is
    /// running. Ignored if it is older than the latest attempt.
    pub(crate) fn record_start(&mut self, call: EventId, at: Timestamp) {
        let recovered_automatically = self.active_outage().is_some() && self.auto_recovery_at() <= at;
        let no_probe_runs = self.probe.is_none_or(|probe| probe.deadline() <= at);
        if self.newest <= at && (self.needs_probe || recovered_automatically) && no_probe_runs {
            self.probe = Some(Probe { call, since: at });
        }
    }

    /// Records the end of a call that is neither success nor failure of the scope. If it was the probe, the next call
    /// becomes the probe.
    pub(crate) fn release_probe(&mut self, cause: Cause) {
        self.probe.take_if(|probe| probe.is_completed_by(cause));
    }

    /// Returns whether a failure proves that the scope has not recovered: it is that of the probe, or occurred during
    /// it.
    pub(crate) fn proves_outage(&self, cause: Cause) -> bool {
        self.probe.is_some_and(|probe| probe.is_completed_by(cause) || probe.is_running_at(cause.at))
    }

    /// Counts a failure. Call [`Health::record_attempt`] before, and only if it returned true.
    pub(crate) const fn count_failure(&mut self, at: Timestamp) {
        if self.failures == 0 {
            self.failing_since = at;
        }
        self.failures = self.failures.saturating_add(1);
        self.answered = false;
    }

    /// Resets failures and probe, and ends the active outage, after a success. Call [`Health::record_attempt`] before,
    /// and only if it returned true.
    pub(crate) fn record_success(&mut self, cause: Cause) {
        self.failures = 0;
        (self.needs_probe, self.probe) = (false, None);
        if let Some(outage) = self.active_outage_mut() {
            outage.end = Some(End { by: RecoveredBy::Success, cause });
        }
    }

    /// Starts an outage and removes the probe. Returns the previous outage if the log has its start but not its end.
    pub(crate) fn start_outage(&mut self, outage: Outage) -> Option<Outage> {
        (self.needs_probe, self.probe) = (false, None);
        self.outage.replace(outage).filter(Outage::is_unclosed)
    }

    /// Returns the active outage; `None` if there is none. It recovers automatically at [`Health::auto_recovery_at`],
    /// which is not checked here.
    pub(crate) fn active_outage(&self) -> Option<&Outage> {
        self.outage.as_ref().filter(|outage| outage.end.is_none())
    }

    /// Returns the active outage, or the latest one if none is active; `None` if there was never one.
    pub(crate) const fn latest_outage(&self) -> Option<&Outage> {
        self.outage.as_ref()
    }

    /// Returns the outage of [`Health::latest_outage`] for modification.
    pub(crate) const fn latest_outage_mut(&mut self) -> Option<&mut Outage> {
        self.outage.as_mut()
    }

    /// Ends the active outage, if any, by automatic recovery at `at`. The next call becomes the probe.
    pub(crate) fn auto_recover(&mut self, at: Timestamp) {
        if let Some(outage) = self.active_outage_mut() {
            outage.end = Some(outage.auto_recovery(at));
            self.needs_probe = true;
        }
    }

    /// Ends the active outage, if any, for a reason other than a call. Failures and probe are reset, and the next calls
    /// are no probes.
    pub(crate) fn reset(&mut self, by: RecoveredBy, at: Timestamp) {
        self.failures = 0;
        (self.needs_probe, self.probe) = (false, None);
        if let Some(outage) = self.active_outage_mut() {
            outage.end = Some(outage.end_by(by, at));
        }
    }

    /// Returns the time of automatic recovery without further attempts: [`RECOVERY_SECONDS`] after the latest attempt.
    pub(crate) const fn auto_recovery_at(&self) -> Timestamp {
        self.newest.plus_secs(RECOVERY_SECONDS)
    }

    /// Returns the expected end of the outage or probe that started at or before `at`, whichever is later; `None` if
    /// there is neither.
    pub(crate) fn unavailable_until(&self, at: Timestamp) -> Option<Timestamp> {
        let outage = self.active_outage().filter(|outage| outage.cause.at <= at).map(|_| self.auto_recovery_at());
        let probe = self.probe.filter(|probe| probe.since <= at).map(|probe| probe.deadline());
        outage.max(probe)
    }

    /// Returns the probe that is running at a time; `None` if there is none.
    pub(crate) fn running_probe(&self, at: Timestamp) -> Option<Probe> {
        self.probe.filter(|probe| probe.is_running_at(at))
    }

    /// Returns the time of the latest attempt, if it was answered; `None` if it failed or there was none.
    pub(crate) fn answered_at(&self) -> Option<Timestamp> {
        self.answered.then_some(self.newest)
    }

    /// Returns the number of consecutive failures at a time, and the time of the first; `None` if there are none, or if
    /// an automatic recovery has reset them.
    pub(crate) fn failures(&self, at: Timestamp) -> Option<(u32, Timestamp)> {
        (0 < self.failures && at < self.auto_recovery_at()).then_some((self.failures, self.failing_since))
    }

    /// Returns the outage of [`Health::active_outage`] for modification.
    fn active_outage_mut(&mut self) -> Option<&mut Outage> {
        self.outage.as_mut().filter(|outage| outage.end.is_none())
    }
}
