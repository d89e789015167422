//! The recommendation in a recorded decision, as the view of learned patterns for deciding that turn again.

use contracts::{
    Decision, Reason, Recommendation, Slot,
    views::{PatternQuery, PatternView},
};

/// The recommendation of one recorded decision. Used where the patterns of the whole log are not folded: it does not
/// depend on the settings of the policy that is tried.
#[derive(Debug, Clone)]
pub(crate) struct RecordedPatterns(pub(crate) Option<Recommendation>);

/// Returns the recommendation that a decision recorded; `None` if the slot was not evaluated or recommended nothing.
pub(crate) fn recommendation(decision: &Decision) -> Option<&Recommendation> {
    let entry = decision.chain.iter().find(|entry| entry.slot == Slot::PatternRecommendation)?;
    match &entry.reason {
        Reason::Pattern(recommendation) => Some(recommendation),
        _ => None,
    }
}

impl PatternView for RecordedPatterns {
    fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation> {
        self.0.clone().filter(|recommendation| (query.known)(&recommendation.model))
    }
}
