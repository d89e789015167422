//! The projections that a decision reads, as its views.

use availability::Availability;
use contracts::views::Views;
use event_bus::projection_set;
use event_core::Timestamp;
use patterns::Patterns;

projection_set! {
    /// The projections that decisions read. What-if folds only these, so that it walks a log quickly.
    pub struct DecisionState {
        /// Outages of models and providers.
        pub availability: Availability,
        /// Samples and verdicts that recommendations are computed from.
        pub patterns: Patterns,
    }
}

impl DecisionState {
    /// Calls `decide` with the views that a decision at the time `at` reads, and returns its result.
    pub fn with_views<T>(&self, at: Timestamp, decide: impl FnOnce(&Views<'_>) -> T) -> T {
        with_views(&self.availability, &self.patterns, at, decide)
    }
}

/// Calls `decide` with the outages at the time `at` and the patterns as views, and returns its result.
pub(crate) fn with_views<T>(
    availability: &Availability,
    patterns: &Patterns,
    at: Timestamp,
    decide: impl FnOnce(&Views<'_>) -> T,
) -> T {
    decide(&Views { outages: &availability.outages_at(at), patterns })
}
