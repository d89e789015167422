//! The projection that counts how often each rule decided, in total and on the latest day.

use std::collections::BTreeMap;

use contracts::{
    Decision,
    events::{RouteDecided, RouteFallback},
};
use event_core::{CodecError, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

/// The maximum number of rules that are counted. Another rule replaces the one that has not decided for the longest
/// time.
pub const MAX_RULES: usize = 1_000;

/// The number of decisions of each rule, by its name. Includes rules that were renamed or removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleHits {
    /// Counts by the name of the rule.
    rules: BTreeMap<String, RuleCounts>,
    /// The latest UTC day with a decision.
    latest_day: u64,
}

/// The decisions of one rule, as they are folded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct RuleCounts {
    /// The number of decisions.
    total: u64,
    /// The latest UTC day with a decision of the rule, counted from 1970-01-01.
    day: u64,
    /// The number of decisions on that day.
    on_day: u64,
}

/// The number of decisions of a rule. A decision chooses the model of a turn, or its next model after a failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Hits {
    /// The number of all decisions.
    pub total: u64,
    /// The number on the latest UTC day on which any rule or other slot decided.
    pub latest_day: u64,
}

impl RuleHits {
    /// Returns every rule that has decided, with its counts, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Hits)> {
        self.rules.iter().map(|(name, counts)| (name.as_str(), self.hits(counts)))
    }

    /// Returns the counts of a rule; 0 if it has not decided.
    pub fn of(&self, name: &str) -> Hits {
        self.rules.get(name).map(|counts| self.hits(counts)).unwrap_or_default()
    }

    /// The latest UTC day with a decision, counted from 1970-01-01; 0 before the first.
    pub const fn latest_day(&self) -> u64 {
        self.latest_day
    }

    /// Converts the counts of a rule.
    fn hits(&self, counts: &RuleCounts) -> Hits {
        Hits { total: counts.total, latest_day: if counts.day == self.latest_day { counts.on_day } else { 0 } }
    }

    /// Counts a decision that was made at `at`.
    fn add_decision(&mut self, decision: &Decision, at: Timestamp) {
        let day = at.utc_day();
        self.latest_day = self.latest_day.max(day);
        let Some(name) = decision.winner().and_then(|winner| winner.reason.rule()) else { return };
        if let Some(counts) = self.rules.get_mut(name) {
            counts.add(day);
            return;
        }
        if MAX_RULES <= self.rules.len() {
            let oldest = self.rules.iter().min_by_key(|(name, counts)| (counts.day, counts.total, *name));
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.rules.remove(&oldest);
            }
        }
        self.rules.entry(name.to_owned()).or_default().add(day);
    }
}

impl RuleCounts {
    /// Counts a decision on a UTC day.
    const fn add(&mut self, day: u64) {
        self.total = self.total.saturating_add(1);
        if self.day < day {
            (self.day, self.on_day) = (day, 0);
        }
        if self.day == day {
            self.on_day = self.on_day.saturating_add(1);
        }
    }
}

impl Projection for RuleHits {
    const NAME: &'static str = "rule-hits";
    const VERSION: u32 = 1;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        if let Some(body) = event.view::<RouteDecided>()? {
            self.add_decision(&body.decision, event.event.at);
        } else if let Some(body) = event.view::<RouteFallback>()? {
            self.add_decision(&body.decision, event.event.at);
        }
        Ok(())
    }
}
