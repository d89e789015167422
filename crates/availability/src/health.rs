//! The health of one scope: what it has seen last, its failures in a row, its latest outage.

use contracts::facts::RecoveredBy;
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    outage::{Cause, End, Outage},
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
        if let Some(outage) = self.standing_mut() {
            outage.end = Some(End { by: RecoveredBy::Success, cause });
        }
    }

    /// Puts the scope out, and gives back the outage before when the log still has to tell of its end.
    pub(crate) fn put_out(&mut self, outage: Outage) -> Option<Outage> {
        self.outage.replace(outage).filter(Outage::is_unclosed)
    }

    /// The outage that no fact has ended yet; it ends at [`Health::quiet_from`] if nothing else happens.
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
        }
    }

    /// When the scope counts as recovered if nobody tries again: five minutes after the last attempt.
    pub(crate) const fn quiet_from(&self) -> Timestamp {
        self.newest.plus_secs(QUIET_SECONDS)
    }

    /// Failures in a row as of a time, and the first of them.
    pub(crate) fn failures(&self, at: Timestamp) -> Option<(u32, Timestamp)> {
        (0 < self.failures && at < self.quiet_from()).then_some((self.failures, self.failing_since))
    }

    fn standing_mut(&mut self) -> Option<&mut Outage> {
        self.outage.as_mut().filter(|outage| outage.end.is_none())
    }
}
