//! The projections of the engine, folded together.

use availability::Availability;
use contracts::views::Views;
use costs::Costs;
use evaluator::Evaluator;
use event_bus::projection_set;
use event_core::Timestamp;
use patterns::Patterns;

use crate::{active::RecordedConfiguration, decision_state::with_views, rule_hits::RuleHits, sessions::Sessions};

projection_set! {
    /// Everything that the engine folds from the log. A projection is a field; nothing else lists them.
    pub struct RouterState {
        /// Outages of models and providers.
        pub availability: Availability,
        /// Costs of calls.
        pub costs: Costs,
        /// Samples and verdicts that recommendations are computed from.
        pub patterns: Patterns,
        /// Evidence about the latest turns.
        pub evaluator: Evaluator,
        /// Sessions: model set by the user, open turns, history of tools.
        pub sessions: Sessions,
        /// The policy and the models that were recorded last.
        pub active: RecordedConfiguration,
        /// How often each rule decided.
        pub rule_hits: RuleHits,
    }
}

impl RouterState {
    /// Calls `decide` with the views at a time.
    pub fn with_views<T>(&self, at: Timestamp, decide: impl FnOnce(&Views<'_>) -> T) -> T {
        with_views(&self.availability, &self.patterns, at, decide)
    }
}
