//! Events about decisions.

use event_core::Position;
use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{
    ClientRequest, ContentHash, Decision, Evaluation, FailedCandidate, ModelId, Reason, Score, SessionId, Slot, TurnId,
    Verdict,
};

/// Whether the decision was acted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionMode {
    /// The turn ran on the chosen model.
    Live,
    /// The turn had already run elsewhere; this is what turnwise would have chosen.
    Observed,
}

/// Which model takes a turn, and why: exactly one per turn (004 §7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteDecided {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// Whether it was acted on.
    pub mode: DecisionMode,
    /// The policy active: the hash in its `policy.loaded`.
    pub policy: ContentHash,
    /// The models active: the hash in their `catalogue.loaded`.
    pub catalogue: ContentHash,
    /// The version of the decider: another version may decide otherwise.
    pub decider: u16,
    /// The log position at which the views stood.
    pub based_on: Position,
    /// The text predicates of the policy that matched the message, by number (decision D9).
    pub matched: Vec<u16>,
    /// Microseconds it took; 0 for an observed turn.
    pub elapsed_micros: u32,
    /// The model and the chain of reasons.
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
            model: Some(sample::model()),
            chain: vec![
                Evaluation {
                    slot: Slot::PerMessageOverride,
                    verdict: Verdict::NotApplicable,
                    candidate: None,
                    reason: Reason::NoOverride,
                    failure: None,
                    attempts: Vec::new(),
                },
                Evaluation {
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

/// A model failed before the first byte of its answer, and the chain was asked again without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteFallback {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// Which step of the turn this is, from 1.
    pub step: u32,
    /// The models that failed in this request, in the order in which they were tried.
    pub failed: Vec<FailedCandidate>,
    /// The request, when it is a later one than that which started the turn.
    pub request: Option<ClientRequest>,
    /// The policy active: the hash in its `policy.loaded`.
    pub policy: ContentHash,
    /// The models active: the hash in their `catalogue.loaded`.
    pub catalogue: ContentHash,
    /// The version of the decider.
    pub decider: u16,
    /// The log position at which the views stood.
    pub based_on: Position,
    /// The text predicates of the policy that matched the message, by number.
    pub matched: Vec<u16>,
    /// The model that takes the turn from here on, and why; none when nobody is left.
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
            model: Some(sample::name("anthropic:claude-haiku-4-5")),
            chain: vec![Evaluation {
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

/// The user took the pattern store's suggestion instead of the rule's model (004 §5.6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteOverridden {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// The model first chosen.
    pub original: ModelId,
    /// The model the turn runs on now.
    pub model: ModelId,
    /// The policy that had suggested it.
    pub deferred: Slot,
    /// The rule that had won, if a rule had.
    pub rule: Option<String>,
    /// How sure the pattern store was.
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

/// The user kept the rule's model (004 §5.6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternOverrideDismissed {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// The model that stays.
    pub model: ModelId,
    /// The model that was suggested.
    pub dismissed: ModelId,
    /// The rule that had won, if a rule had.
    pub rule: Option<String>,
    /// How sure the pattern store was.
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
