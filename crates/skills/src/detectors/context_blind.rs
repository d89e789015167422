//! Context-Blind Routing: decisions ignore files and prior decisions (AP-08, APD-08).

use std::collections::BTreeMap;

use super::{
    detection::{AntiPattern, Detection, Signal},
    sessions::by_session,
};
use crate::routing_log::RoutingRecord;

/// Detects requests with files that were decided without the decision tree (AP-08). Requests for which an earlier layer
/// decided are included: the file types had no part in them.
pub fn detect_ignored_files(records: &[RoutingRecord]) -> Vec<Detection> {
    let ignored = records.iter().filter(|record| record.files > 0 && record.tree.is_none());
    let hint = |record: &RoutingRecord| {
        let signal = Signal::IgnoredFiles { files: record.files };
        Detection::new(AntiPattern::Ap08ContextBlind, signal, vec![record.event])
    };
    ignored.map(hint).collect()
}

/// Detects keywords that routed to different skills within a session although the context is the same (APD-08). Records
/// without a context hash are not compared.
pub fn detect_inconsistent_keywords(records: &[RoutingRecord]) -> Vec<Detection> {
    let mut found = Vec::new();
    for session in by_session(records) {
        let mut first_decisions: BTreeMap<(String, [u8; 32]), &RoutingRecord> = BTreeMap::new();
        for record in session {
            let Some(context) = record.context else { continue };
            let counts = |skill: &String| record.outcome.loaded().contains(skill);
            for matched in record.matched.iter().filter(|matched| counts(&matched.skill)) {
                let first = *first_decisions.entry((matched.keyword.to_lowercase(), context)).or_insert(record);
                if first.outcome.loaded() != record.outcome.loaded() {
                    let signal = Signal::InconsistentKeyword {
                        keyword: matched.keyword.clone(),
                        first: first.outcome.loaded().to_vec(),
                        later: record.outcome.loaded().to_vec(),
                    };
                    let events = vec![first.event, record.event];
                    found.push(Detection::new(AntiPattern::Apd08ContextBlind, signal, events));
                }
            }
        }
    }
    found
}
