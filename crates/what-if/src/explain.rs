//! What the pattern store saw when a turn was decided: its neighbours then, under the policy of then.

use contracts::{
    Decision, ModelId, Reason, Slot, TurnId,
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
    library::Library,
    range::Range,
    walk::{Point, Visitor, walk},
};

/// What was behind a turn's recommendation, or would have been.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The turn.
    pub turn: TurnId,
    /// When it started.
    pub at: Timestamp,
    /// The workspace whose patterns were asked.
    pub workspace: Option<String>,
    /// The knobs of then.
    pub settings: PatternSettings,
    /// The model that would have acted without a recommendation.
    pub baseline: Option<ModelId>,
    /// The model that took the turn.
    pub chosen: Option<ModelId>,
    /// Whether the decision asked the pattern store at all: not for an explicit choice or within a delegation.
    pub asked: bool,
    /// What was found; `None` when nothing had been learned in the workspace.
    pub explanation: Option<Explanation>,
}

/// Looks at a turn's neighbours as they were when it was decided. Reads the log up to there.
///
/// # Errors
/// [`WhatIfError`] when the log cannot be read, or a policy is gone.
pub fn explain(log: &dyn EventLog, texts: &dyn TextStore, turn: TurnId) -> Result<Option<Explained>, WhatIfError> {
    let mut found = Finder { turn, explained: None };
    walk(log, texts, &Range::default(), &mut found)?;
    Ok(found.explained)
}

/// The model that acted when a policy before the pattern store had won: then the question was whether another is better.
fn otherwise(decision: &Decision) -> Option<&ModelId> {
    let winner = decision.winner().filter(|winner| winner.slot < Slot::PatternRecommendation)?;
    winner.candidate.as_ref()
}

/// Whether the chain came to ask the pattern store.
fn asked(decision: &Decision, policy: &Policy) -> bool {
    let in_delegation =
        decision.chain.iter().any(|entry| matches!(entry.reason, Reason::InDelegation | Reason::Tier { .. }));
    let explicit = decision.winner().is_some_and(|winner| winner.slot < Slot::ConfiguredRules);
    !in_delegation && (!explicit || policy.disagreement().surface)
}

struct Finder {
    turn: TurnId,
    explained: Option<Explained>,
}

impl Visitor for Finder {
    fn decision(&mut self, point: Point<'_>, library: &mut Library<'_>) -> Result<(), WhatIfError> {
        if point.decided.turn != self.turn {
            return Ok(());
        }
        let policy = library.policy(point.position, &point.decided)?;
        let workspace = point.started.workspace.as_deref();
        let settings = policy.pattern_settings(workspace);
        let query = PatternQuery {
            workspace,
            features: &point.started.features,
            settings: &settings,
            baseline: otherwise(&point.decided.decision).or(policy.default_model(workspace)),
            known: &|model| policy.registry().get(model).is_some(),
        };
        self.explained = Some(Explained {
            turn: self.turn,
            at: point.at,
            workspace: point.started.workspace.clone(),
            settings,
            baseline: query.baseline.cloned(),
            chosen: point.decided.decision.model.clone(),
            asked: asked(&point.decided.decision, &policy),
            explanation: point.known.patterns.explain(&query),
        });
        Ok(())
    }

    fn without_start(&mut self, _: &Recorded, _: &RouteDecided) {}

    fn event(&mut self, _: &Recorded) -> Result<bool, WhatIfError> {
        Ok(self.explained.is_none())
    }
}
