//! Routing Loop: agents exchange control without progress (AP-04).

use std::collections::BTreeMap;

use event_core::EventId;
use serde::{Deserialize, Serialize};

use super::{
    detection::{AntiPattern, Detection, Signal},
    iterations::{IterationLimits, stop_of_iterations},
    thresholds::DetectorThresholds,
};

/// A transfer of control from one agent or skill to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HopRecord {
    /// The id of the event of the transfer.
    pub event: EventId,
    /// The agent that ends.
    pub from: String,
    /// The agent that starts.
    pub to: String,
}

/// The tokens and scores of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTokens {
    /// The id of the event that ended the run.
    pub event: EventId,
    /// The tokens that were used.
    pub used: u64,
    /// The expected tokens; `None` if the run has no budget.
    pub budget: Option<u64>,
    /// The scores of its revisions in parts per 10,000, with the events that recorded them.
    pub scores: Vec<(EventId, u32)>,
}

/// Detects pairs of agents that exchange control too often, a run with more than twice its budget of tokens, and scores
/// without progress. `limits` are those of the run's criticality.
pub fn detect_routing_loop(
    hops: &[HopRecord],
    run: &RunTokens,
    limits: &IterationLimits,
    thresholds: &DetectorThresholds,
) -> Vec<Detection> {
    let hint = |signal, events| Detection::new(AntiPattern::Ap04RoutingLoop, signal, events);
    let mut pairs: BTreeMap<(&str, &str), Vec<EventId>> = BTreeMap::new();
    for hop in hops {
        let (from, to) = (hop.from.as_str(), hop.to.as_str());
        pairs.entry((from.min(to), from.max(to))).or_default().push(hop.event);
    }
    let repeated = pairs.into_iter().filter(|(_, events)| thresholds.pair_transfers < events.len() as u64);
    let mut found: Vec<Detection> = repeated
        .map(|((first, second), events)| {
            let (first, second) = (first.to_owned(), second.to_owned());
            hint(Signal::RepeatedPair { first, second, transfers: events.len() as u64 }, events)
        })
        .collect();
    if let Some(budget) = run.budget
        && budget.saturating_mul(thresholds.budget_factor) < run.used
    {
        found.push(hint(Signal::TokenBudget { used: run.used, budget }, vec![run.event]));
    }
    let scores: Vec<u32> = run.scores.iter().map(|(_, score)| *score).collect();
    if let Some(stop) = stop_of_iterations(&scores, limits) {
        found.push(hint(Signal::Iterations(stop), run.scores.iter().map(|(event, _)| *event).collect()));
    }
    found
}
