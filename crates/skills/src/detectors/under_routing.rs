//! Under-Routing: a task that needs a skill has none (AP-06, APD-06).

use contracts::SkillSlot;

use super::{
    detection::{AntiPattern, Detection, Signal},
    sessions::by_session,
    thresholds::DetectorThresholds,
};
use crate::routing_log::RoutingRecord;

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

/// Detects skills that the user names soon after a decision for another skill, within a session (APD-06).
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
                !loaded.is_empty() && !loaded.contains(named)
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
