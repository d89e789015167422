//! Slot 4: what the log has learned, or, deferred, what it would have said (004 §5.5, §5.6).

use contracts::{Evaluation, ModelId, Reason, Recommendation, Slot, Verdict};

use super::{Chain, silent};

impl Chain<'_> {
    pub(super) fn pattern(&self) -> Evaluation {
        let slot = Slot::PatternRecommendation;
        // Learned behaviour never overrides a planner's tier (decision D24).
        if self.turn.delegation.is_some() {
            return silent(slot, Reason::InDelegation);
        }
        let recommendation = match self.recommendation() {
            Ok(recommendation) => recommendation,
            Err(reason) => return silent(slot, reason),
        };
        let model = recommendation.model.clone();
        self.named(slot, &model, Reason::Pattern(recommendation))
    }

    /// What the pattern store says although a policy before it has won (decision D2). Its failure says when the
    /// model could not have taken the turn either.
    pub(super) fn deferred(&self, entries: &[Evaluation]) -> Option<Evaluation> {
        let winner = entries.iter().find(|entry| entry.verdict == Verdict::Chose)?;
        if Slot::PatternRecommendation <= winner.slot || self.turn.delegation.is_some() {
            return None;
        }
        let recommendation = self.recommendation().ok()?;
        let model = recommendation.model.clone();
        let mut entry = self.named(Slot::PatternRecommendation, &model, Reason::Pattern(recommendation));
        entry.verdict = Verdict::Deferred;
        Some(entry)
    }

    /// The recommendation that clears the policy's own thresholds, or why there is none.
    fn recommendation(&self) -> Result<Recommendation, Reason> {
        // A workspace block replaces the global one (004 §5.2, decision D7).
        let settings = self.scope.and_then(|scope| scope.pattern).or(self.policy.global.pattern).unwrap_or_default();
        let known = |model: &ModelId| self.policy.registry().get(model).is_some();
        let recommendation = self
            .views
            .patterns
            .recommend(self.turn.workspace.as_deref(), &self.turn.features, &settings, &known)
            .ok_or(Reason::NoNeighbours)?;
        let Recommendation { confidence, samples, .. } = recommendation;
        if confidence < settings.min_confidence || samples < settings.min_sample_size {
            return Err(Reason::BelowThreshold { confidence, samples });
        }
        Ok(recommendation)
    }
}
