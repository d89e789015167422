//! Events about routing decisions and the user's replies to recommendations.

use event_core::Position;
use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{
    ChainEntry, ClientRequest, ContentHash, Decision, FailedCandidate, ModelId, Reason, Score, SessionId, Slot, TurnId,
    Verdict,
};

/// Whether a decision was applied to a live turn or only computed for an imported one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionMode {
    /// The turn was sent to the chosen model.
    Live,
    /// The turn was imported and had already run elsewhere; the decision is what turnwise would have chosen.
    Observed,
}

/// Event: the model of a turn was decided. Each turn has exactly one such event (004 §7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteDecided {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Whether the decision was applied.
    pub mode: DecisionMode,
    /// Hash of the active policy, as in its `policy.loaded`.
    pub policy: ContentHash,
    /// Hash of the active list of models, as in its `catalogue.loaded`.
    pub catalogue: ContentHash,
    /// Version of the decision code; other versions may decide differently.
    pub decider: u16,
    /// Log position of the views that the decision read.
    pub based_on: Position,
    /// Numbers of the policy's text predicates that matched the message. With them the decision can be repeated after
    /// the text was purged (decision D9).
    pub matched: Vec<u16>,
    /// Duration of the decision in microseconds; 0 for an observed turn.
    pub elapsed_micros: u32,
    /// Chosen model and evaluated chain.
    pub decision: Decision,
}

event!(
    RouteDecided,
    "route.decided",
    1,
    Internal,
    "Which model takes a turn, and why, with the whole chain of policies.",
    RouteDecided {
        turn: sample::turn(),
        session: sample::session(),
        mode: DecisionMode::Live,
        policy: ContentHash([0x22; 32]),
        catalogue: ContentHash([0x33; 32]),
        decider: 1,
        based_on: Position(7),
        matched: vec![0],
        elapsed_micros: 12,
        decision: Decision {
            chosen: Some(sample::model()),
            chain: vec![
                ChainEntry {
                    slot: Slot::PerMessageOverride,
                    verdict: Verdict::NotApplicable,
                    candidate: None,
                    reason: Reason::NoOverride,
                    failure: None,
                    attempts: Vec::new(),
                },
                ChainEntry {
                    slot: Slot::ManualSticky,
                    verdict: Verdict::Chose,
                    candidate: Some(sample::model()),
                    reason: Reason::Sticky,
                    failure: None,
                    attempts: Vec::new(),
                },
            ],
        },
    }
);

/// Event: a model failed before the first byte of its response, and the turn was decided again without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteFallback {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Number of the fallback within the turn, from 1.
    pub step: u32,
    /// Models that failed in this request, in the order of the attempts.
    pub failed: Vec<FailedCandidate>,
    /// Request of the client; `None` if it is the request that started the turn.
    pub request: Option<ClientRequest>,
    /// Hash of the active policy, as in its `policy.loaded`.
    pub policy: ContentHash,
    /// Hash of the active list of models, as in its `catalogue.loaded`.
    pub catalogue: ContentHash,
    /// Version of the decision code.
    pub decider: u16,
    /// Log position of the views that the decision read.
    pub based_on: Position,
    /// Numbers of the policy's text predicates that matched the message.
    pub matched: Vec<u16>,
    /// New decision; it has no model if no candidate is left.
    pub decision: Decision,
}

event!(
    RouteFallback,
    "route.fallback",
    1,
    Internal,
    "A model failed before it answered, and the chain was asked again without it.",
    RouteFallback {
        turn: sample::turn(),
        session: sample::session(),
        step: 1,
        failed: vec![FailedCandidate { model: sample::model(), class: super::ErrorClass::Overloaded }],
        request: None,
        policy: ContentHash([0x22; 32]),
        catalogue: ContentHash([0x33; 32]),
        decider: 3,
        based_on: Position(9),
        matched: vec![0],
        decision: Decision {
            chosen: Some(sample::name("anthropic:claude-haiku-4-5")),
            chain: vec![ChainEntry {
                slot: Slot::GlobalDefault,
                verdict: Verdict::Chose,
                candidate: Some(sample::name("anthropic:claude-haiku-4-5")),
                reason: Reason::GlobalDefault,
                failure: None,
                attempts: Vec::new(),
            }],
        },
    }
);

/// Event: the user accepted a recommendation of the pattern store in place of the rule's model (004 §5.6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteOverridden {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Model of the original decision.
    pub original: ModelId,
    /// Recommended model, which the turn now uses.
    pub model: ModelId,
    /// Slot that had recommended the model.
    pub deferred: Slot,
    /// Name of the rule that the decision was based on; `None` if no rule had matched.
    pub rule: Option<String>,
    /// Confidence of the recommendation.
    pub confidence: Score,
}

event!(
    RouteOverridden,
    "route.overridden",
    1,
    Internal,
    "The user took the pattern store's suggestion for a turn.",
    RouteOverridden {
        turn: sample::turn(),
        session: sample::session(),
        original: sample::name("anthropic:claude-haiku-4-5"),
        model: sample::model(),
        deferred: Slot::PatternRecommendation,
        rule: Some("fast for commits".to_owned()),
        confidence: Score(870_000_000),
    }
);

/// Event: the user dismissed a recommendation of the pattern store and kept the rule's model (004 §5.6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternOverrideDismissed {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Model that the turn keeps.
    pub model: ModelId,
    /// Recommended model, which the user declined.
    pub dismissed: ModelId,
    /// Name of the rule that the decision was based on; `None` if no rule had matched.
    pub rule: Option<String>,
    /// Confidence of the recommendation.
    pub confidence: Score,
}

event!(
    PatternOverrideDismissed,
    "pattern.override_dismissed",
    1,
    Internal,
    "The user kept the rule's model against the pattern store's suggestion.",
    PatternOverrideDismissed {
        turn: sample::turn(),
        session: sample::session(),
        model: sample::name("anthropic:claude-haiku-4-5"),
        dismissed: sample::model(),
        rule: Some("fast for commits".to_owned()),
        confidence: Score(870_000_000),
    }
);
