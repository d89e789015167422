//! How often each rule decided: of all turns, and on the latest day.

use std::collections::BTreeMap;

use contracts::{
    Decision,
    events::{RouteDecided, RouteFallback},
};
use event_core::{CodecError, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

/// The most rules that are counted. When one more wins, the one goes that has not won for longest.
pub const MOST_RULES: usize = 1_000;

/// How often each rule won, by name: rules that were renamed or removed are still listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleHits {
    rules: BTreeMap<String, Wins>,
    /// The latest UTC day with a decision.
    latest_day: u64,
}

/// How often a rule won.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Wins {
    total: u64,
    /// The latest UTC day on which it won, and how often it did then.
    day: u64,
    on_day: u64,
}

/// How often a rule decided who takes a turn, or who goes on with it after another model had failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Hits {
    /// In all.
    pub total: u64,
    /// On the latest UTC day with a decision.
    pub latest_day: u64,
}

impl RuleHits {
    /// Every rule that won, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Hits)> {
        self.rules.iter().map(|(name, wins)| (name.as_str(), self.hits(wins)))
    }

    /// How often a rule won.
    pub fn of(&self, name: &str) -> Hits {
        self.rules.get(name).map(|wins| self.hits(wins)).unwrap_or_default()
    }

    /// The latest UTC day with a decision, counted from 1970-01-01; 0 before the first.
    pub const fn latest_day(&self) -> u64 {
        self.latest_day
    }

    fn hits(&self, wins: &Wins) -> Hits {
        Hits { total: wins.total, latest_day: if wins.day == self.latest_day { wins.on_day } else { 0 } }
    }

    fn decided(&mut self, decision: &Decision, at: Timestamp) {
        let day = at.utc_day();
        self.latest_day = self.latest_day.max(day);
        let Some(name) = decision.winner().and_then(|winner| winner.reason.rule()) else { return };
        if let Some(known) = self.rules.get_mut(name) {
            known.won(day);
            return;
        }
        if MOST_RULES <= self.rules.len() {
            let oldest = self.rules.iter().min_by_key(|(name, wins)| (wins.day, wins.total, *name));
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.rules.remove(&oldest);
            }
        }
        self.rules.entry(name.to_owned()).or_default().won(day);
    }
}

impl Wins {
    const fn won(&mut self, day: u64) {
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
            self.decided(&body.decision, event.event.at);
        } else if let Some(body) = event.view::<RouteFallback>()? {
            self.decided(&body.decision, event.event.at);
        }
        Ok(())
    }
}
