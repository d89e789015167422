//! A decision and its reasons (004 §7): what the log keeps and the why-view prints.

use serde::{Deserialize, Serialize};

use crate::{ModelId, NanoUsd, Provider, Requirement, Score, Tier, WireApi, events::ErrorClass};

/// A place in the policy chain, in its fixed order (004 §4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Slot {
    /// `@model` in the message.
    PerMessageOverride,
    /// The model the user set for the session.
    ManualSticky,
    /// The user's rules.
    ConfiguredRules,
    /// What the log has learned.
    PatternRecommendation,
    /// A tier asked for by a planner.
    DelegateRequest,
    /// The default of the workspace.
    WorkspaceDefault,
    /// The default of the user.
    GlobalDefault,
}

impl Slot {
    /// The chain, in order.
    pub const CHAIN: [Self; 7] = [
        Self::PerMessageOverride,
        Self::ManualSticky,
        Self::ConfiguredRules,
        Self::PatternRecommendation,
        Self::DelegateRequest,
        Self::WorkspaceDefault,
        Self::GlobalDefault,
    ];

    /// Its name as the why-view prints it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PerMessageOverride => "PER_MESSAGE_OVERRIDE",
            Self::ManualSticky => "MANUAL_STICKY",
            Self::ConfiguredRules => "CONFIGURED_RULES",
            Self::PatternRecommendation => "PATTERN_RECOMMENDATION",
            Self::DelegateRequest => "DELEGATE_REQUEST",
            Self::WorkspaceDefault => "WORKSPACE_DEFAULT",
            Self::GlobalDefault => "GLOBAL_DEFAULT",
        }
    }
}

/// What a policy said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing.
    NotApplicable,
    /// A model, but a policy before it had already won.
    Deferred,
    /// A model that cannot take the turn; the chain went on.
    Rejected,
    /// The model that takes the turn.
    Chose,
}

impl Verdict {
    /// Its name as the why-view prints it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotApplicable => "not_applicable",
            Self::Deferred => "deferred",
            Self::Rejected => "rejected",
            Self::Chose => "chose",
        }
    }
}

/// How much of a provider is out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutageScope {
    /// One model.
    ModelSpecific(ModelId),
    /// All models of a provider.
    ProviderWide(Provider),
}

/// Why a model cannot take a turn (004 §4.4, in the order in which they are checked).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// No key, no server, or no longer in the registry.
    NotConfigured,
    /// Recent calls failed (004 §4.5).
    ProviderUnavailable(OutageScope),
    /// The prompt has images.
    NoVisionSupport,
    /// The prompt is too long.
    ExceedsContextWindow {
        /// Expected tokens of the prompt, by the model's own tokenizer.
        estimate: u64,
        /// The most tokens the model takes.
        window: u64,
    },
    /// The prompt defines tools.
    NoToolSupport,
    /// The prompt has a system part.
    NoSystemPromptSupport,
    /// The answer must follow a schema.
    NoStructuredOutputSupport,
    /// The request has something that the APIs of the model cannot carry, or that the model does not take.
    CannotCarry {
        /// What it has.
        requirement: Requirement,
        /// The API it would have to be said in.
        api: WireApi,
    },
    /// The request holds thinking that another model signed.
    SignedByAnother,
    /// It failed a moment ago, in this very turn.
    JustFailed(ErrorClass),
}

impl Failure {
    /// Its name on the wire (004 §7.1).
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NotConfigured => "not_configured",
            Self::ProviderUnavailable(_) => "provider_unavailable",
            Self::NoVisionSupport => "no_vision_support",
            Self::ExceedsContextWindow { .. } => "exceeds_context_window",
            Self::NoToolSupport => "no_tool_support",
            Self::NoSystemPromptSupport => "no_system_prompt_support",
            Self::NoStructuredOutputSupport => "no_structured_output_support",
            Self::CannotCarry { .. } => "cannot_carry",
            Self::SignedByAnother => "signed_by_another",
            Self::JustFailed(_) => "just_failed",
        }
    }
}

/// A model the pattern store looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternative {
    /// The model.
    pub model: ModelId,
    /// Its score (004 §5.5), or `None` when none of its samples was ever scored (decision D21).
    pub score: Option<Score>,
    /// How many scored samples it has among the neighbours.
    pub samples: u64,
}

/// What the pattern store recommends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The model with the highest score.
    pub model: ModelId,
    /// How far it is ahead of the runner-up: `(top - second) / top`.
    pub confidence: Score,
    /// How many scored samples it has among the neighbours.
    pub samples: u64,
    /// Every model among the neighbours, the winner first.
    pub alternatives: Vec<Alternative>,
}

/// Why a policy said what it said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No `@model` in the message.
    NoOverride,
    /// `@alias` in the message.
    Override {
        /// The alias as written, without the `@`.
        alias: String,
    },
    /// No model set for the session.
    NoSticky,
    /// The user set a model for the session.
    Sticky,
    /// The policy has no rules here.
    NoRules,
    /// No rule matched.
    NoRuleMatched,
    /// A rule matched.
    Rule {
        /// Its name.
        name: String,
        /// The daily budget it names, when that is part of why it matched.
        budget: Option<NanoUsd>,
    },
    /// Nothing like this turn in the log, or nothing scored.
    NoNeighbours,
    /// Too few samples or too little confidence.
    BelowThreshold {
        /// The confidence reached.
        confidence: Score,
        /// The samples found.
        samples: u64,
    },
    /// A planner asked for a tier: learned behaviour does not override it (decision D24).
    InDelegation,
    /// The pattern store recommends a model.
    Pattern(Recommendation),
    /// Not a delegation.
    NotDelegation,
    /// A planner asked for a tier.
    Tier {
        /// The tier asked for.
        asked: Tier,
        /// The tier whose model is the candidate: the same, or one above it.
        given: Tier,
    },
    /// No tier from the one asked for upwards has a model that can take the turn.
    TierExhausted {
        /// The tier asked for.
        asked: Tier,
    },
    /// No default for this workspace.
    NoWorkspaceDefault,
    /// The default of the workspace.
    WorkspaceDefault,
    /// No default at all.
    NoGlobalDefault,
    /// The default of the user.
    GlobalDefault,
    /// The model that the client asks for, by the name it wrote.
    ClientModel {
        /// The name.
        name: String,
    },
    /// The client asks for a model nobody here knows by that name.
    UnknownClientModel {
        /// The name.
        name: String,
    },
}

/// A rule that matched and whose model was rejected (decision D1), or a tier that was passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The name of the rule, or of the tier.
    pub name: String,
    /// The model it names.
    pub candidate: ModelId,
    /// Why that model cannot take the turn.
    pub failure: Failure,
}

/// What one policy of the chain said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Which policy.
    pub slot: Slot,
    /// What it said.
    pub verdict: Verdict,
    /// The model it proposed.
    pub candidate: Option<ModelId>,
    /// Why.
    pub reason: Reason,
    /// Why the proposed model was rejected.
    pub failure: Option<Failure>,
    /// What was tried and rejected inside this one policy, in order. When nothing was left to try, the first
    /// of them is also the `candidate`.
    pub attempts: Vec<Attempt>,
}

/// Which model takes the turn, and why. The chain has one entry for every policy that ran (decision D2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The model, or `None` when no policy has one that can take the turn (004 §4.7).
    pub model: Option<ModelId>,
    /// What each policy said, in order.
    pub chain: Vec<Evaluation>,
}

impl Decision {
    /// The policy that won.
    pub fn winner(&self) -> Option<&Evaluation> {
        self.chain.iter().find(|entry| entry.verdict == Verdict::Chose)
    }

    /// What a policy said, when it ran.
    pub fn entry(&self, slot: Slot) -> Option<&Evaluation> {
        self.chain.iter().find(|entry| entry.slot == slot)
    }
}
