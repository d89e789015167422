//! A policy that is tried on the past.

use std::sync::Arc;

use router_core::Policy;

/// A policy and what it is called in the report.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The name of its file, or the value a sweep has given it.
    pub name: String,
    /// The policy.
    pub policy: Arc<Policy>,
}
