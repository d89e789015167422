//! Explains the recommendation of the pattern store for a recorded turn, with the neighbours and the policy of that
//! time.

use contracts::{
    ChainSlot as _, Decision, ModelId, Reason, Slot, TurnId,
    events::{RouteDecided, RouteFallback, TurnStarted},
    views::{PatternQuery, PatternSettings},
};
use event_bus::{EventLog, TextStore};
use event_core::{Recorded, Timestamp};
use patterns::Explanation;
use router_core::Policy;
use serde::Serialize;

use crate::{
    error::WhatIfError,
    latest_turns::WalkStart,
    policy_cache::PolicyCache,
    range::Range,
    walk::{DecisionPoint, VisitDecision, Visitor, walk},
};

/// The explanation of the model recommendation for a recorded turn, or of the recommendation that it would have
/// received.
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

/// Recomputes the model recommendation for `turn` from the events up to its decision, and explains it; `None` if the
/// log has no decision about the turn or no start of it.
///
/// # Errors
/// [`WhatIfError`] if the log cannot be read, or the policy of the decision is missing or no longer valid.
pub fn explain(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    turn: TurnId,
) -> Result<Option<RecommendationExplanation>, WhatIfError> {
    let mut visitor = ExplainVisitor { turn, explained: None };
    walk(log, texts, &Range::default(), WalkStart::Origin, &mut visitor)?;
    Ok(visitor.explained)
}

/// Returns the model that would have been chosen without a recommendation, with which the recommendation is compared:
/// that of a slot of higher precedence, or else the requested model if the policy prefers it to learned recommendations
/// (decision D35), or else the default; `None` if there is none of them.
fn model_without_recommendation<'a>(
    decision: &'a Decision,
    started: &'a TurnStarted,
    policy: &'a Policy,
) -> Option<&'a ModelId> {
    let winner = decision.winner().filter(|winner| winner.slot.precedes(Slot::PatternRecommendation));
    let otherwise = || policy.model_without_recommendation(started.workspace.as_deref(), started.request.as_ref());
    winner.and_then(|winner| winner.candidate.as_ref()).or_else(otherwise)
}

/// Returns whether the pattern store was queried for a recommendation in this decision.
fn queried_patterns(decision: &Decision, policy: &Policy) -> bool {
    let in_delegation =
        decision.chain.iter().any(|entry| matches!(entry.reason, Reason::InDelegation | Reason::Tier { .. }));
    let explicit = decision.winner().is_some_and(|winner| winner.slot.precedes(Slot::ConfiguredRules));
    !in_delegation && (!explicit || policy.disagreement().surface)
}

/// A visitor that explains the recommendation for one turn, and then ends the walk over the log.
struct ExplainVisitor {
    /// The turn to explain.
    turn: TurnId,
    /// The explanation; `None` until the decision about the turn is read.
    explained: Option<RecommendationExplanation>,
}

impl VisitDecision<RouteFallback> for ExplainVisitor {}

impl VisitDecision<RouteDecided> for ExplainVisitor {
    fn decision(
        &mut self,
        point: DecisionPoint<'_, RouteDecided>,
        policies: &mut PolicyCache<'_>,
    ) -> Result<(), WhatIfError> {
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
            baseline: model_without_recommendation(&point.decided.decision, point.started, &policy),
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
}

impl Visitor for ExplainVisitor {
    fn event(&mut self, _: &Recorded) -> Result<bool, WhatIfError> {
        Ok(self.explained.is_none())
    }
}
