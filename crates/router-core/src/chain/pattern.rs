//! Slot 4: what the log has learned, or, deferred, what it would have said (004 §5.5, §5.6).

use contracts::{Evaluation, ModelId, Reason, Recommendation, Slot, Verdict, views::PatternQuery};

use super::{Chain, silent};

impl Chain<'_> {
    pub(super) fn pattern(&self) -> Evaluation {
        let slot = Slot::PatternRecommendation;
        // Learned behaviour never overrides a planner's tier (decision D24).
        if self.turn.delegation.is_some() {
            return silent(slot, Reason::InDelegation);
        }
        let recommendation = match self.recommendation(self.policy.default_model(self.turn.workspace.as_deref())) {
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
        // An explicit choice is not second-guessed, so nothing is searched, unless the user wants to hear of it.
        if winner.slot < Slot::ConfiguredRules && !self.policy.disagreement().surface {
            return None;
        }
        // The question is whether it is better than the model that acts.
        let recommendation = self.recommendation(winner.candidate.as_ref()).ok()?;
        let model = recommendation.model.clone();
        let mut entry = self.named(Slot::PatternRecommendation, &model, Reason::Pattern(recommendation));
        entry.verdict = Verdict::Deferred;
        Some(entry)
    }

    /// The recommendation that clears the policy's own thresholds, or why there is none.
    fn recommendation(&self, baseline: Option<&ModelId>) -> Result<Recommendation, Reason> {
        let workspace = self.turn.workspace.as_deref();
        let settings = self.policy.pattern_settings(workspace);
        let known = |model: &ModelId| self.policy.registry().get(model).is_some();
        let query =
            PatternQuery { workspace, features: &self.turn.features, settings: &settings, baseline, known: &known };
        let recommendation = self.views.patterns.recommend(&query).ok_or(Reason::NoNeighbours)?;
        let Recommendation { confidence, samples, .. } = recommendation;
        if confidence < settings.min_confidence || samples < settings.min_sample_size {
            return Err(Reason::BelowThreshold { confidence, samples });
        }
        Ok(recommendation)
    }
}
