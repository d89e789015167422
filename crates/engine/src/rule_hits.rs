//! The projection that counts the hits of each rule. The page, `rules show` and the backtest all read it, so that they show
//! the same numbers.

use std::collections::BTreeMap;

use contracts::{
    Event, event_subset,
    events::{DecisionMode, DecisionsRetained, RouteDecided},
};
use event_core::{Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

/// The maximum number of rules that are counted. A further rule replaces the rule whose last decision is the oldest.
pub const MAX_RULES: usize = 1_000;

/// The hits of each rule by the name of the rule, including rules that were renamed or removed.
///
/// A hit is a turn that the rule decided when the turn started. Another decision of the same turn after a model failed
/// is no further hit. Turns that were imported are counted separately, since the decision was not applied to them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleHits {
    /// Counts by the name of the rule.
    rules: BTreeMap<String, RuleCounts>,
    /// The latest UTC day with a decision about a live turn.
    latest_day: u64,
}

/// The number of turns that one rule decided, counted separately for live and imported turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct RuleCounts {
    /// The number of live turns.
    live: u64,
    /// The number of imported turns.
    imported: u64,
    /// The latest UTC day with a live hit, counted from 1970-01-01.
    day: u64,
    /// The number of live turns on that day.
    on_day: u64,
}

/// The number of turns that a rule of the policy decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Hits {
    /// The number of live turns: the rule chose the model that they were sent to.
    pub live: u64,
    /// The number of imported turns that the rule would have decided. They ran on the model that they were asked for.
    pub imported: u64,
    /// The number of live turns on the latest UTC day on which any rule or other slot decided a live turn.
    pub latest_day: u64,
}

impl RuleHits {
    /// Returns every rule with a hit, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Hits)> {
        self.rules.iter().map(|(name, counts)| (name.as_str(), self.hits(counts)))
    }

    /// Returns the hits of a rule; 0 if it has none.
    pub fn for_rule(&self, name: &str) -> Hits {
        self.rules.get(name).map(|counts| self.hits(counts)).unwrap_or_default()
    }

    /// Returns the latest UTC day with a decision about a live turn, counted from 1970-01-01; 0 before the first.
    pub const fn latest_day(&self) -> u64 {
        self.latest_day
    }

    /// Converts the counts of a rule.
    fn hits(&self, counts: &RuleCounts) -> Hits {
        let latest_day = if counts.day == self.latest_day { counts.on_day } else { 0 };
        Hits { live: counts.live, imported: counts.imported, latest_day }
    }

    /// Counts the decision about a turn that started at `at` as a hit of the rule that decided, if a rule did.
    pub fn add(&mut self, decided: &RouteDecided, at: Timestamp) {
        let (day, is_live) = (at.utc_day(), decided.mode == DecisionMode::Live);
        if is_live {
            self.latest_day = self.latest_day.max(day);
        }
        let Some(name) = decided.decision.winner().and_then(|winner| winner.reason.rule()) else { return };
        self.counts_mut(name).add(day, is_live);
    }

    /// Adds the hits of a rule in turns whose events were removed from the log.
    fn add_retained(&mut self, retained: &DecisionsRetained) {
        let is_live = retained.mode == DecisionMode::Live;
        if is_live {
            self.latest_day = self.latest_day.max(retained.day);
        }
        let Some(name) = &retained.rule else { return };
        let counts = self.counts_mut(name);
        let turns = if is_live { &mut counts.live } else { &mut counts.imported };
        *turns = turns.saturating_add(retained.turns);
    }

    /// Returns the counts of a rule for modification. If there are [`MAX_RULES`], a new rule replaces the rule whose
    /// last decision is the oldest.
    fn counts_mut(&mut self, name: &str) -> &mut RuleCounts {
        if !self.rules.contains_key(name) && MAX_RULES <= self.rules.len() {
            let oldest =
                self.rules.iter().min_by_key(|(name, counts)| (counts.day, counts.live, counts.imported, *name));
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.rules.remove(&oldest);
            }
        }
        self.rules.entry(name.to_owned()).or_default()
    }
}

impl RuleCounts {
    /// Counts a turn that the rule decided on a UTC day, counted from 1970-01-01.
    const fn add(&mut self, day: u64, is_live: bool) {
        if !is_live {
            self.imported = self.imported.saturating_add(1);
            return;
        }
        self.live = self.live.saturating_add(1);
        if self.day < day {
            (self.day, self.on_day) = (day, 0);
        }
        if self.day == day {
            self.on_day = self.on_day.saturating_add(1);
        }
    }
}

event_subset! {
    /// The events from which the hits of rules (decisions that a rule made) are counted.
    pub enum HitEvent { DecisionsRetained, RouteDecided }
}

impl Projection for RuleHits {
    const NAME: &'static str = "rule-hits";
    const VERSION: u32 = 3;

    type Events = Event;
    type Folded<'a> = HitEvent<'a>;

    fn apply(&mut self, event: HitEvent<'_>, recorded: &Recorded) {
        match event {
            HitEvent::RouteDecided(decided) => self.add(decided, recorded.event.at),
            HitEvent::DecisionsRetained(retained) => self.add_retained(retained),
        }
    }
}
