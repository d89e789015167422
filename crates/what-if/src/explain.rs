//! Explains the recommendation of the pattern store for a recorded turn, with the neighbours and the policy of that
//! time.

use contracts::{
    ChainSlot as _, Decision, ModelId, Reason, Slot, TurnId,
    events::RouteDecided,
    views::{PatternQuery, PatternSettings},
};
use event_bus::{EventLog, TextStore};
use event_core::{Recorded, Timestamp};
use patterns::Explanation;
use router_core::Policy;
use serde::Serialize;

use crate::{
    error::WhatIfError,
    policy_cache::PolicyCache,
    range::Range,
    walk::{DecisionPoint, Visitor, walk},
};

/// The explanation of a turn's recommendation, or of the one it would have received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecommendationExplanation {
    /// The id of the turn.
    pub turn: TurnId,
    /// The time when the turn started.
    pub at: Timestamp,
    /// The path of the workspace whose patterns were searched; `None` for a turn without a workspace.
    pub workspace: Option<String>,
    /// The settings of the pattern store in the policy of that time.
    pub settings: PatternSettings,
    /// The model that would have been chosen without a recommendation; `None` without a default.
    pub baseline: Option<ModelId>,
    /// The model that was chosen; `None` if the turn was refused.
    pub chosen: Option<ModelId>,
    /// Whether the decision queried the pattern store. A delegation never does; an explicit choice of the user only if
    /// the policy shows disagreements.
    pub asked: bool,
    /// The neighbours and estimates; `None` if the workspace had no patterns.
    pub explanation: Option<Explanation>,
}

/// Recomputes the recommendation for `turn` from the events up to its decision; `None` if the log has no decision about
/// it or no start of it.
///
/// # Errors
/// [`WhatIfError`] if the log cannot be read, or the policy of the decision is missing or no longer valid.
pub fn explain(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    turn: TurnId,
) -> Result<Option<RecommendationExplanation>, WhatIfError> {
    let mut visitor = ExplainVisitor { turn, explained: None };
    walk(log, texts, &Range::default(), &mut visitor)?;
    Ok(visitor.explained)
}

/// Returns the model chosen by a slot of higher precedence than the pattern store, which a recommendation is compared
/// with; `None` if no such slot won.
fn model_without_recommendation(decision: &Decision) -> Option<&ModelId> {
    let winner = decision.winner().filter(|winner| winner.slot.precedes(Slot::PatternRecommendation))?;
    winner.candidate.as_ref()
}

/// Returns whether the chain queried the pattern store.
fn queried_patterns(decision: &Decision, policy: &Policy) -> bool {
    let in_delegation =
        decision.chain.iter().any(|entry| matches!(entry.reason, Reason::InDelegation | Reason::Tier { .. }));
    let explicit = decision.winner().is_some_and(|winner| winner.slot.precedes(Slot::ConfiguredRules));
    !in_delegation && (!explicit || policy.disagreement().surface)
}

/// A visitor that explains the recommendation of one turn, and then ends the walk.
struct ExplainVisitor {
    /// The turn to explain.
    turn: TurnId,
    /// The explanation; `None` until the decision about the turn is read.
    explained: Option<RecommendationExplanation>,
}

impl Visitor for ExplainVisitor {
    fn decision(&mut self, point: DecisionPoint<'_>, policies: &mut PolicyCache<'_>) -> Result<(), WhatIfError> {
        if point.decided.turn != self.turn {
            return Ok(());
        }
        let policy = policies.policy(point.position, &point.decided)?;
        let workspace = point.started.workspace.as_deref();
        let settings = policy.pattern_settings(workspace);
        let query = PatternQuery {
            workspace,
            features: &point.started.features,
            settings: &settings,
            baseline: model_without_recommendation(&point.decided.decision).or(policy.default_model(workspace)),
            known: &|model| policy.registry().get(model).is_some(),
        };
        self.explained = Some(RecommendationExplanation {
            turn: self.turn,
            at: point.at,
            workspace: point.started.workspace.clone(),
            settings,
            baseline: query.baseline.cloned(),
            chosen: point.decided.decision.chosen.clone(),
            asked: queried_patterns(&point.decided.decision, &policy),
            explanation: point.known.patterns.explain(&query),
        });
        Ok(())
    }

    fn without_start(&mut self, _: &Recorded, _: &RouteDecided) {}

    fn event(&mut self, _: &Recorded) -> Result<bool, WhatIfError> {
        Ok(self.explained.is_none())
    }
}
