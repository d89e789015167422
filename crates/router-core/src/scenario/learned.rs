//! A recommendation of the pattern store, as a scenario states it.

use contracts::{
    Alternative, Recommendation, Score,
    views::{PatternQuery, PatternView},
};

use super::{ScenarioError, resolve_model};
use crate::Policy;

/// A recommendation of the pattern store, as a scenario states it.
#[derive(Debug, Clone)]
pub(super) struct Learned {
    /// The id or alias of the recommended model.
    pub(super) model: String,
    /// The confidence in percent.
    pub(super) confidence_percent: u64,
    /// The number of samples of the model.
    pub(super) samples: u64,
}

impl Learned {
    /// Creates a pattern store that always returns this recommendation.
    ///
    /// # Errors
    /// [`ScenarioError::UnknownModel`] if the policy's registry does not contain the model.
    pub(super) fn pattern_view(&self, policy: &Policy) -> Result<FixedRecommendation, ScenarioError> {
        let model = resolve_model(policy, &self.model)?;
        let (confidence, samples) = (Score::ratio(self.confidence_percent, 100), self.samples);
        let alternatives = vec![Alternative { model: model.clone(), score: Some(Score::ONE), samples }];
        Ok(FixedRecommendation(Recommendation { model, confidence, samples, alternatives }))
    }
}

/// A pattern store that returns the same recommendation for every turn.
#[derive(Debug)]
pub(super) struct FixedRecommendation(Recommendation);

impl PatternView for FixedRecommendation {
    fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation> {
        (query.known)(&self.0.model).then(|| self.0.clone())
    }
}
