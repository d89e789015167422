//! The state of the engine: all its projections, folded from the log together.

use availability::Availability;
use contracts::{Event, views::Views};
use costs::Costs;
use evaluator::Evaluator;
use event_bus::projection_set;
use event_core::Timestamp;
use patterns::Patterns;

use crate::{
    active::RecordedConfiguration, decision_state::with_views, rule_hits::RuleHits, sessions::Sessions,
    skill_questions::SkillQuestions,
};

projection_set! {
    /// The state of the engine: all its projections. Each field is one projection; a new field is folded without
    /// further registration.
    pub struct RouterState folds Event {
        /// Outages of models and providers.
        pub availability: Availability,
        /// Costs of calls.
        pub costs: Costs,
        /// Samples and verdicts that recommendations are computed from.
        pub patterns: Patterns,
        /// Evidence about the latest turns.
        pub evaluator: Evaluator,
        /// Sessions: the model that the user set, open turns, and the history of tools.
        pub sessions: Sessions,
        /// The policy and the models that were recorded last.
        pub active: RecordedConfiguration,
        /// How often each rule decided.
        pub rule_hits: RuleHits,
        /// The replies of the model that was asked which skill fits, and the questions without a reply.
        pub skill_questions: SkillQuestions,
    }
}

impl RouterState {
    /// Calls `decide` with the state that a decision at the time `at` reads, and returns its result.
    pub fn with_views<T>(&self, at: Timestamp, decide: impl FnOnce(&Views<'_>) -> T) -> T {
        with_views(&self.availability, &self.patterns, at, decide)
    }
}
