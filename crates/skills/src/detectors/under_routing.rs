//! Under-Routing: a task that needs a skill has none (AP-06, APD-06).

use contracts::SkillSlot;

use super::{
    detection::{AntiPattern, Detection, Signal},
    sessions::by_session,
    thresholds::DetectorThresholds,
};
use crate::{routing_log::RoutingRecord, score::terms::terms};

/// Detects requests with several files that loaded no skill (AP-06). A request to load no skill is not among them.
pub fn detect_unrouted_complexity(records: &[RoutingRecord], thresholds: &DetectorThresholds) -> Vec<Detection> {
    let complex = records.iter().filter(|record| {
        let wants_skill = record.slot != SkillSlot::NoSkill;
        wants_skill && record.outcome.loaded().is_empty() && thresholds.complex_files < record.files
    });
    let hint = |record: &RoutingRecord| {
        let signal = Signal::Complexity { files: record.files };
        Detection::new(AntiPattern::Ap06UnderRouting, signal, vec![record.event])
    };
    complex.map(hint).collect()
}

/// Detects skills that the user names soon after a decision for another skill, within a session (APD-06). A change of topic is
/// no contradiction.
pub fn detect_overridden(records: &[RoutingRecord], thresholds: &DetectorThresholds) -> Vec<Detection> {
    let mut found = Vec::new();
    for session in by_session(records) {
        for (position, explicit) in session.iter().enumerate() {
            let Some(named) = explicit.outcome.loaded().first() else { continue };
            if explicit.slot != SkillSlot::Explicit {
                continue;
            }
            let first = position.saturating_sub(thresholds.overridden_within);
            let earlier = session.iter().take(position).skip(first).rev();
            let contradicted = earlier.filter(|record| record.slot != SkillSlot::Explicit).find(|record| {
                let loaded = record.outcome.loaded();
                !loaded.is_empty() && !loaded.contains(named) && is_same_task(record, explicit)
            });
            if let Some(record) = contradicted {
                let signal = Signal::Overridden { loaded: record.outcome.loaded().to_vec(), named: named.clone() };
                let events = vec![record.event, explicit.event];
                found.push(Detection::new(AntiPattern::Apd06UnderRouting, signal, events));
            }
        }
    }
    found
}

/// Returns whether a request that names a skill is probably about the task of an earlier one: they have a word in common besides the
/// name, or the later one has no other words and the earlier turn did not complete. An earlier decision that its label confirms was
/// not contradicted.
fn is_same_task(earlier: &RoutingRecord, explicit: &RoutingRecord) -> bool {
    let is_confirmed = |needed: &Vec<String>| earlier.outcome.loaded().iter().any(|skill| needed.contains(skill));
    if earlier.needed.as_ref().is_some_and(is_confirmed) {
        return false;
    }
    let names: Vec<String> = explicit.outcome.loaded().iter().flat_map(|name| terms(name)).collect();
    let mut words = terms(&explicit.summary);
    words.retain(|word| !names.contains(word));
    if words.is_empty() {
        return earlier.needed.is_none();
    }
    let others = terms(&earlier.summary);
    words.iter().any(|word| others.contains(word))
}
