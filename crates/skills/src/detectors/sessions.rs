//! Groups the records of a log by session.

use std::collections::BTreeMap;

use crate::routing_log::RoutingRecord;

/// Returns the records of each session in the order of the log, the sessions by their ids.
pub(super) fn by_session(records: &[RoutingRecord]) -> Vec<Vec<&RoutingRecord>> {
    let mut sessions: BTreeMap<&str, Vec<&RoutingRecord>> = BTreeMap::new();
    for record in records {
        sessions.entry(record.session.as_str()).or_default().push(record);
    }
    sessions.into_values().collect()
}
