//! A policy that a backtest compares with others, and its name in the report.

use std::sync::Arc;

use router_core::Policy;

/// A policy with which a backtest decides the recorded turns again, and its name in the report.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The name of its file, or the setting of a sweep such as `pattern.cost_weight=0.05`.
    pub name: String,
    /// The loaded policy.
    pub policy: Arc<Policy>,
}
