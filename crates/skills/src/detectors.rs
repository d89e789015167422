//! Detectors of anti-patterns in routing: hints (AP, 000 Anti-Pattern Catalog) and findings (APD, 002 Anti-Pattern
//! Prevention). Each detection names the events that prove it; a detection about a table or a definition has none.

mod bag_of_triggers;
mod context_blind;
mod detection;
mod format;
mod handoff_loss;
mod iterations;
mod keyword_tunnel;
mod over_routing;
mod routing_loop;
mod sessions;
mod thresholds;
mod tools;
mod under_routing;

pub use bag_of_triggers::{detect_ambiguity, detect_table_collisions};
pub use context_blind::{detect_ignored_files, detect_inconsistent_keywords};
pub use detection::{AntiPattern, Detection, Signal, ToolLevel};
pub use handoff_loss::{HandoffRecord, detect_handoff_loss};
pub use iterations::{IterationLimits, IterationStop, stop_of_iterations};
pub use keyword_tunnel::{TableAge, detect_keyword_tunnel, detect_no_match};
pub use over_routing::{InvocationRecord, detect_over_routing};
pub use routing_loop::{HopRecord, RunTokens, detect_routing_loop};
pub use thresholds::DetectorThresholds;
pub use tools::{AgentTools, detect_tool_overload};
pub use under_routing::{detect_overridden, detect_unrouted_complexity};

use crate::routing_log::RoutingRecord;

/// Runs all detectors of the routing log. `table` is the age of the trigger table; `None` if there is no table. Detections are
/// in the order of [`AntiPattern`], and those of one pattern in the order of the log.
pub fn detect_in_log(
    records: &[RoutingRecord],
    table: Option<TableAge>,
    thresholds: &DetectorThresholds,
) -> Vec<Detection> {
    let mut found = detect_keyword_tunnel(records, table, thresholds);
    found.extend(detect_ambiguity(records, thresholds));
    found.extend(detect_unrouted_complexity(records, thresholds));
    found.extend(detect_ignored_files(records));
    found.extend(detect_no_match(records, thresholds));
    found.extend(detect_overridden(records, thresholds));
    found.extend(detect_inconsistent_keywords(records));
    found
}

#[cfg(test)]
mod tests;
