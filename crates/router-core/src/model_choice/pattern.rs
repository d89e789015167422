//! The slot `PATTERN_RECOMMENDATION`: the recommendation of the pattern store, also as a deferred entry after another
//! slot has won (004 §5.5, §5.6).

use contracts::{ChainEntry, ChainSlot as _, ModelId, Reason, Recommendation, Slot, Verdict, views::PatternQuery};

use super::ModelSlots;

impl ModelSlots<'_> {
    /// Evaluates the slot when no earlier slot has won. Not applicable in a delegation, or without a recommendation
    /// that reaches the thresholds. If the policy treats the model that the client requested as a default, the entry is
    /// deferred, unless `pattern.over_requested` is set (decision D35).
    pub(super) fn pattern(&self) -> ChainEntry {
        let slot = Slot::PatternRecommendation;
        // A recommendation never overrides the tier of a delegation (decision D24).
        if self.turn.delegation.is_some() {
            return ChainEntry::not_applicable(slot, Reason::InDelegation);
        }
        let workspace = self.turn.workspace.as_deref();
        // A recommendation replaces a requested model only if the policy allows it (decision D35).
        let is_suggestion = self.is_model_requested() && !self.policy.pattern_settings(workspace).over_requested;
        let requested = self.turn.request.as_ref().and_then(|request| request.named.as_ref());
        let baseline = if is_suggestion { requested } else { self.policy.default_model(workspace) };
        let recommendation = match self.recommendation(baseline) {
            Ok(recommendation) => recommendation,
            Err(reason) => return ChainEntry::not_applicable(slot, reason),
        };
        let model = recommendation.model.clone();
        let mut entry = self.entry_for_id(slot, &model, Reason::Pattern(recommendation));
        if is_suggestion {
            entry.verdict = Verdict::Deferred;
        }
        entry
    }

    /// Evaluates the slot after `winner` was chosen, and returns a deferred entry (decision D2). It has a failure if
    /// the recommended model could not have served the turn.
    /// `None` without a recommendation, in a delegation, if `winner` is not an earlier slot, or if it is an explicit
    /// choice and the policy does not surface disagreements.
    pub(super) fn deferred_pattern(&self, winner: &ChainEntry) -> Option<ChainEntry> {
        if !winner.slot.precedes(Slot::PatternRecommendation) || self.turn.delegation.is_some() {
            return None;
        }
        // The baseline is the model that serves the turn.
        let recommendation = self.recommendation(winner.candidate.as_ref()).ok()?;
        let model = recommendation.model.clone();
        let mut entry = self.entry_for_id(Slot::PatternRecommendation, &model, Reason::Pattern(recommendation));
        entry.verdict = Verdict::Deferred;
        Some(entry)
    }

    /// Returns the recommendation if it reaches the thresholds of the policy, or the reason why there is none.
    /// `baseline` is the model that would serve the turn otherwise; `None` if there is none.
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
