//! The health of one scope: what it has seen last, its failures in a row, its latest outage.

use contracts::events::RecoveredBy;
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    outage::{Cause, End, Outage},
    probe::Probe,
    thresholds::QUIET_SECONDS,
};

/// What a model and a provider have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Health {
    /// The last attempt.
    newest: Timestamp,
    /// Failures since the last success, or since nobody tried for long enough.
    failures: u32,
    /// The first of them.
    failing_since: Timestamp,
    /// The outage that stands, or the last one that stood.
    outage: Option<Outage>,
    /// Whether that one ended quietly and no success has shown since that all is well.
    unproven: bool,
    /// The last call that was sent to find out.
    probe: Option<Probe>,
}

impl Health {
    /// Takes note of an attempt; `false` when it is older than the newest one seen and says nothing about now.
    pub(crate) fn attempted(&mut self, at: Timestamp) -> bool {
        if at < self.newest {
            return false;
        }
        let quiet_from = self.quiet_from();
        if quiet_from <= at {
            self.failures = 0;
            self.end_quietly(quiet_from);
        }
        self.newest = at;
        true
    }

    /// Takes note that a call was sent: it is the probe when one is needed and none runs. A start that is older than the
    /// last attempt says nothing about now.
    pub(crate) fn sent(&mut self, call: EventId, at: Timestamp) {
        let quietly_over = self.standing().is_some() && self.quiet_from() <= at;
        let is_first = self.probe.is_none_or(|probe| probe.until() <= at);
        if self.newest <= at && (self.unproven || quietly_over) && is_first {
            self.probe = Some(Probe { call, since: at });
        }
    }

    /// A call came to an end that says nothing about the provider. If it was the probe, the next one is.
    pub(crate) fn learned_nothing(&mut self, cause: Cause) {
        self.probe.take_if(|probe| probe.is_answered_by(cause));
    }

    /// Whether a failure shows that the scope is not well again: that of the probe, or of another call beside it.
    pub(crate) fn fails_again(&self, cause: Cause) -> bool {
        self.probe.is_some_and(|probe| probe.is_answered_by(cause) || probe.runs(cause.at))
    }

    /// Counts a failure that was taken note of.
    pub(crate) const fn failed(&mut self, at: Timestamp) {
        if self.failures == 0 {
            self.failing_since = at;
        }
        self.failures = self.failures.saturating_add(1);
    }

    /// Ends whatever was wrong, by a success that was taken note of.
    pub(crate) fn succeeded(&mut self, cause: Cause) {
        self.failures = 0;
        (self.unproven, self.probe) = (false, None);
        if let Some(outage) = self.standing_mut() {
            outage.end = Some(End { by: RecoveredBy::Success, cause });
        }
    }

    /// Puts the scope out, and gives back the outage before when the log still has to tell of its end.
    pub(crate) fn put_out(&mut self, outage: Outage) -> Option<Outage> {
        (self.unproven, self.probe) = (false, None);
        self.outage.replace(outage).filter(Outage::is_unclosed)
    }

    /// The outage that no event has ended yet; it ends at [`Health::quiet_from`] if nothing else happens.
    pub(crate) fn standing(&self) -> Option<&Outage> {
        self.outage.as_ref().filter(|outage| outage.end.is_none())
    }

    /// The outage that stands, or the last one that stood.
    pub(crate) const fn latest(&self) -> Option<&Outage> {
        self.outage.as_ref()
    }

    /// The same, to be marked as told.
    pub(crate) const fn latest_mut(&mut self) -> Option<&mut Outage> {
        self.outage.as_mut()
    }

    /// Ends the outage that stands because nobody tried until `at`.
    pub(crate) fn end_quietly(&mut self, at: Timestamp) {
        if let Some(outage) = self.standing_mut() {
            outage.end = Some(outage.quiet_end(at));
            self.unproven = true;
        }
    }

    /// When the scope counts as recovered if nobody tries again: five minutes after the last attempt.
    pub(crate) const fn quiet_from(&self) -> Timestamp {
        self.newest.plus_secs(QUIET_SECONDS)
    }

    /// Until when the scope is out, by what began by `at`: an outage, or a probe.
    pub(crate) fn out_until(&self, at: Timestamp) -> Option<Timestamp> {
        let outage = self.standing().filter(|outage| outage.cause.at <= at).map(|_| self.quiet_from());
        let probe = self.probe.filter(|probe| probe.since <= at).map(|probe| probe.until());
        outage.max(probe)
    }

    /// The probe that runs at a time.
    pub(crate) fn probe(&self, at: Timestamp) -> Option<Probe> {
        self.probe.filter(|probe| probe.runs(at))
    }

    /// Failures in a row as of a time, and the first of them.
    pub(crate) fn failures(&self, at: Timestamp) -> Option<(u32, Timestamp)> {
        (0 < self.failures && at < self.quiet_from()).then_some((self.failures, self.failing_since))
    }

    fn standing_mut(&mut self) -> Option<&mut Outage> {
        self.outage.as_mut().filter(|outage| outage.end.is_none())
    }
}
