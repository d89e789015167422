//! The projections that a decision reads, as its views.

use availability::Availability;
use contracts::{Event, views::Views};
use event_bus::projection_set;
use event_core::{Position, Projected, Timestamp};
use patterns::Patterns;

projection_set! {
    /// The projections that routing decisions read. The crate `what-if` folds only these, so that it reads a log
    /// quickly.
    pub struct DecisionState folds Event {
        /// Outages of models and providers.
        pub availability: Availability,
        /// Samples and verdicts that recommendations are computed from.
        pub patterns: Patterns,
    }
}

impl DecisionState {
    /// Creates an empty state that continues after the position `after`, and never folds patterns.
    pub fn without_patterns(after: Position) -> Self {
        Self {
            availability: Projected::resumed_at(Availability::default(), after),
            // No event is after this position.
            patterns: Projected::resumed_at(Patterns::default(), Position(u64::MAX)),
        }
    }

    /// Calls `decide` with the views that a decision at the time `at` reads, and returns its result.
    pub fn with_views<T>(&self, at: Timestamp, decide: impl FnOnce(&Views<'_>) -> T) -> T {
        with_views(&self.availability, &self.patterns, at, decide)
    }
}

/// Calls `decide` with the outages at the time `at` and the learned patterns, and returns its result.
pub(crate) fn with_views<T>(
    availability: &Availability,
    patterns: &Patterns,
    at: Timestamp,
    decide: impl FnOnce(&Views<'_>) -> T,
) -> T {
    decide(&Views { outages: &availability.outages_at(at), patterns })
}
