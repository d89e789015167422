//! The slot `PATTERN_RECOMMENDATION`: the recommendation of the pattern store. If an earlier slot was chosen, it is
//! recorded as a deferred entry (004 §5.5, §5.6).

use contracts::{ChainEntry, ChainSlot as _, ModelId, Reason, Recommendation, Slot, Verdict, views::PatternQuery};

use super::ModelSlots;

impl ModelSlots<'_> {
    /// Evaluates the slot `PATTERN_RECOMMENDATION` if no earlier slot was chosen. Not applicable in a delegation, or
    /// without a recommendation that reaches the thresholds of the policy.
    ///
    /// If the client requested a model that the policy treats as a default, the entry is deferred, unless
    /// `pattern.over_requested` is set (decision D35).
    pub(super) fn evaluate_pattern(&self) -> ChainEntry {
        let slot = Slot::PatternRecommendation;
        // A recommendation never overrides the tier of a delegation (decision D24).
        if self.turn.started.delegation.is_some() {
            return ChainEntry::not_applicable(slot, Reason::InDelegation);
        }
        let workspace = self.turn.started.workspace.as_deref();
        // A recommendation replaces a requested model only if the policy allows it (decision D35).
        let is_suggestion = self.is_model_requested() && !self.policy.pattern_settings(workspace).over_requested;
        let baseline = self.policy.model_without_recommendation(workspace, self.turn.request);
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

    /// Evaluates the slot `PATTERN_RECOMMENDATION` after `winner`, the entry of another slot, was chosen. Returns a
    /// deferred entry (decision D2), which has a failure if the recommended model could not have served the turn.
    ///
    /// `None` without a recommendation, in a delegation, or if the slot of `winner` does not precede this one.
    pub(super) fn deferred_recommendation(&self, winner: &ChainEntry) -> Option<ChainEntry> {
        if !winner.slot.precedes(Slot::PatternRecommendation) || self.turn.started.delegation.is_some() {
            return None;
        }
        // The baseline is the model that serves the turn.
        let recommendation = self.recommendation(winner.candidate.as_ref()).ok()?;
        let model = recommendation.model.clone();
        let mut entry = self.entry_for_id(Slot::PatternRecommendation, &model, Reason::Pattern(recommendation));
        entry.verdict = Verdict::Deferred;
        Some(entry)
    }

    /// Returns the recommendation of the pattern store for the turn. `baseline` is the model that serves the turn
    /// without a recommendation; `None` if there is none.
    ///
    /// # Errors
    /// The reason why there is no recommendation, or why it does not reach the thresholds of the policy.
    fn recommendation(&self, baseline: Option<&ModelId>) -> Result<Recommendation, Reason> {
        let workspace = self.turn.started.workspace.as_deref();
        let settings = self.policy.pattern_settings(workspace);
        let is_known = |model: &ModelId| self.policy.registry().get(model).is_some();
        let query = PatternQuery {
            workspace,
            features: &self.turn.started.features,
            settings: &settings,
            baseline,
            known: &is_known,
        };
        let recommendation = self.views.patterns.recommend(&query).ok_or(Reason::NoNeighbours)?;
        let Recommendation { confidence, samples, .. } = recommendation;
        if confidence < settings.min_confidence || samples < settings.min_sample_size {
            return Err(Reason::BelowThreshold { confidence, samples });
        }
        Ok(recommendation)
    }
}
