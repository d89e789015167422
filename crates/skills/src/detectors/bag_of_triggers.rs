//! Bag of Triggers: the keywords of several skills overlap (AP-02, APD-02).

use contracts::KeywordOutcome;

use super::{
    detection::{AntiPattern, Detection, Signal},
    thresholds::DetectorThresholds,
};
use crate::{rate::Rate, routing_log::RoutingRecord};

/// Detects that too many decisions match several skills (AP-02).
pub fn detect_ambiguity(records: &[RoutingRecord], thresholds: &DetectorThresholds) -> Option<Detection> {
    let ambiguous = records.iter().filter(|record| record.keyword == Some(KeywordOutcome::Multi));
    let events: Vec<_> = ambiguous.map(|record| record.event).collect();
    let rate = Rate::new(events.len() as u64, records.len() as u64);
    let exceeds = rate.exceeds_percent(u64::from(thresholds.ambiguous_percent));
    exceeds.then(|| Detection::new(AntiPattern::Ap02BagOfTriggers, Signal::Ambiguous(rate), events))
}

/// Detects that too many keywords of the trigger table collide (APD-02). `colliding` are the keyword entries with a
/// collision, of all entries `keywords`.
pub fn detect_table_collisions(colliding: u64, keywords: u64, thresholds: &DetectorThresholds) -> Option<Detection> {
    let rate = Rate::new(colliding, keywords);
    let exceeds = rate.exceeds_percent(u64::from(thresholds.collision_percent));
    exceeds.then(|| Detection::new(AntiPattern::Apd02BagOfTriggers, Signal::Collisions(rate), Vec::new()))
}
