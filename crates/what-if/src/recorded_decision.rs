//! Events that record a decision, for every decision kind: how a walk finds their inputs, and how replay repeats them.

use contracts::{
    ContentHash, Decision, Failure, ModelChoice, SessionId, TurnId,
    events::{RouteDecided, RouteFallback},
};
use engine::{repeat_decision, repeat_fallback};
use event_core::{EventType, Position};
use router_core::{DECIDER_VERSION, Explain};

use crate::{error::WhatIfError, policy_cache::PolicyCache, recorded_patterns::RecordedPatterns, walk::DecisionPoint};

/// An event that records a decision about a turn. A walk over the log and replay treat the events of all decision kinds
/// alike; a new kind needs an implementation, its call in `WalkState::visit_decisions`, and the bound in `Visitor`.
pub(crate) trait RecordedDecision: EventType {
    /// The decision kind.
    type Kind: Explain;

    /// The version of the code that makes decisions of this kind.
    const DECIDER: u16;

    /// Returns the id of the turn.
    fn turn(&self) -> TurnId;

    /// Returns the session of the turn.
    fn session(&self) -> &SessionId;

    /// Returns the version of the code that made this decision.
    fn decider(&self) -> u16;

    /// Returns the log position of the views that the decision read.
    fn based_on(&self) -> Position;

    /// Returns the indices of the policy's text predicates that matched the message.
    fn matched(&self) -> &[u16];

    /// Returns the hashes of the texts of the policy and of the list of models.
    fn texts(&self) -> (ContentHash, ContentHash);

    /// Returns the decision.
    fn decision(&self) -> &Decision<Self::Kind>;

    /// Returns the number of the decision within the turn if it is a later one, such as a fallback; 0 for the turn's
    /// first decision of the kind.
    fn step(&self) -> u32 {
        0
    }

    /// Returns what the decision recorded about the learned patterns.
    fn recorded_patterns(&self) -> RecordedPatterns {
        RecordedPatterns::default()
    }

    /// Returns whether the decision rejected a candidate because of an outage.
    fn names_outage(&self) -> bool {
        false
    }

    /// Makes the decision again from its recorded inputs. Only the decision itself and the matches can differ.
    ///
    /// # Errors
    /// [`WhatIfError`] if the policy or the list of models of the decision is missing or no longer valid.
    fn repeat(point: &DecisionPoint<'_, Self>, policies: &mut PolicyCache<'_>) -> Result<Self, WhatIfError>;
}

/// Implements the methods of [`RecordedDecision`] that return a field, for the two events of the model choice.
macro_rules! model_choice_fields {
    () => {
        type Kind = ModelChoice;

        const DECIDER: u16 = DECIDER_VERSION;

        fn turn(&self) -> TurnId {
            self.turn
        }

        fn session(&self) -> &SessionId {
            &self.session
        }

        fn decider(&self) -> u16 {
            self.decider
        }

        fn based_on(&self) -> Position {
            self.based_on
        }

        fn matched(&self) -> &[u16] {
            &self.matched
        }

        fn texts(&self) -> (ContentHash, ContentHash) {
            (self.policy, self.catalogue)
        }

        fn decision(&self) -> &Decision {
            &self.decision
        }

        fn recorded_patterns(&self) -> RecordedPatterns {
            RecordedPatterns::of(&self.decision)
        }

        fn names_outage(&self) -> bool {
            let is_outage =
                |failure: &Failure| matches!(failure, Failure::ProviderUnavailable(_) | Failure::KeyRefused(_));
            let mut chain = self.decision.chain.iter();
            chain.any(|entry| {
                entry.failure.iter().chain(entry.attempts.iter().map(|attempt| &attempt.failure)).any(is_outage)
            })
        }
    };
}

impl RecordedDecision for RouteDecided {
    model_choice_fields!();

    fn repeat(point: &DecisionPoint<'_, Self>, policies: &mut PolicyCache<'_>) -> Result<Self, WhatIfError> {
        let policy = policies.policy(point.position, &point.decided)?;
        Ok(repeat_decision(&point.decided, &point.turn(), &policy, point.known, point.replaced_views())?)
    }
}

impl RecordedDecision for RouteFallback {
    model_choice_fields!();

    fn step(&self) -> u32 {
        self.step
    }

    fn repeat(point: &DecisionPoint<'_, Self>, policies: &mut PolicyCache<'_>) -> Result<Self, WhatIfError> {
        let policy = policies.policy(point.position, &point.decided)?;
        Ok(repeat_fallback(
            &point.decided,
            point.turn(),
            point.decided_at,
            &policy,
            point.known,
            point.replaced_views(),
        )?)
    }
}
