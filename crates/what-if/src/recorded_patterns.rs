//! The recommendation in a recorded decision, as the view of learned patterns for deciding that turn again.

use contracts::{
    Decision, ModelId, Reason, Recommendation, Score, Slot,
    views::{PatternQuery, PatternView},
};

/// What one recorded decision states about the learned patterns. Used where the patterns of the whole log are not folded:
/// it does not depend on the settings of the policy that is tried.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordedPatterns {
    /// The recommendation; `None` if the slot was not evaluated or recommended nothing.
    recommendation: Option<Recommendation>,
    /// Confidence and samples of a recommendation that did not reach the thresholds of the policy; its model was not
    /// recorded.
    below_threshold: Option<(Score, u64)>,
}

impl RecordedPatterns {
    /// Returns what a decision recorded.
    pub(crate) fn of(decision: &Decision) -> Self {
        let entry = decision.chain.iter().find(|entry| entry.slot == Slot::PatternRecommendation);
        match entry.map(|entry| &entry.reason) {
            Some(Reason::Pattern(recommendation)) => {
                Self { recommendation: Some(recommendation.clone()), below_threshold: None }
            }
            Some(Reason::BelowThreshold { confidence, samples }) => {
                Self { recommendation: None, below_threshold: Some((*confidence, *samples)) }
            }
            _ => Self::default(),
        }
    }
}

impl PatternView for RecordedPatterns {
    fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation> {
        let recommended = self.recommendation.clone().filter(|recommendation| (query.known)(&recommendation.model));
        recommended.or_else(|| {
            let (confidence, samples) = self.below_threshold?;
            // A recommendation below the thresholds is rejected whatever its model is.
            let is_below = confidence < query.settings.min_confidence || samples < query.settings.min_sample_size;
            let model =
                query.baseline.cloned().or_else(|| ModelId::try_from("unrecorded:model").ok()).filter(|_| is_below)?;
            Some(Recommendation { model, confidence, samples, alternatives: Vec::new() })
        })
    }
}
