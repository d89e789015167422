//! The model choice: slots, reasons and failures of the decision which model serves a turn (004 §4, §7).

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    ChainEntry, ChainSlot, DecisionKind, ModelId, NanoUsd, Period, Provider, Requirement, Score, Tier, WireApi,
    events::ErrorClass,
};

/// A slot of the decision chain for the model of a turn: a source of candidate models. Slots are evaluated in the order
/// of [`ChainSlot::CHAIN`] (004 §4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Slot {
    /// The model that the message names with `@`.
    PerMessageOverride,
    /// The model that the user set for the session.
    ManualSticky,
    /// The rules of the policy file.
    ConfiguredRules,
    /// The recommendation of the pattern store.
    PatternRecommendation,
    /// The tier that a planner requested for a delegation.
    DelegateRequest,
    /// The default model of the workspace.
    WorkspaceDefault,
    /// The global default model of the user.
    GlobalDefault,
    /// The requested model, for a request that neither a rule nor a default can serve (decision D33).
    LastResort,
    /// A budget of the policy that is spent (decision D46). It precedes the chain, and is listed only if it decides.
    Budget,
    /// The model or tier that a skill of the message asks for. It is listed only if the policy reads such wishes.
    SkillWish,
}

impl ChainSlot for Slot {
    const CHAIN: &'static [Self] = &[
        Self::PerMessageOverride,
        Self::ManualSticky,
        Self::ConfiguredRules,
        Self::SkillWish,
        Self::PatternRecommendation,
        Self::DelegateRequest,
        Self::WorkspaceDefault,
        Self::GlobalDefault,
        Self::LastResort,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::PerMessageOverride => "PER_MESSAGE_OVERRIDE",
            Self::ManualSticky => "MANUAL_STICKY",
            Self::ConfiguredRules => "CONFIGURED_RULES",
            Self::PatternRecommendation => "PATTERN_RECOMMENDATION",
            Self::DelegateRequest => "DELEGATE_REQUEST",
            Self::WorkspaceDefault => "WORKSPACE_DEFAULT",
            Self::GlobalDefault => "GLOBAL_DEFAULT",
            Self::LastResort => "LAST_RESORT",
            Self::Budget => "BUDGET",
            Self::SkillWish => "SKILL_WISH",
        }
    }

    fn is_optional(self) -> bool {
        matches!(self, Self::Budget | Self::SkillWish)
    }

    fn number(self) -> usize {
        // The slots that not every chain has leave the numbers of the others unchanged.
        let earlier = Self::CHAIN.iter().take_while(|slot| **slot != self).filter(|slot| !slot.is_optional());
        if self.is_optional() { 0 } else { earlier.count().saturating_add(1) }
    }
}

/// The decision which model serves a turn, as a [`DecisionKind`]. Has no values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelChoice {}

impl DecisionKind for ModelChoice {
    type Slot = Slot;
    type Candidate = ModelId;
    type Reason = Reason;
    type Failure = Failure;
}

/// The extent of an outage: one model, or all models of a provider.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutageScope {
    /// One model.
    ModelSpecific(ModelId),
    /// All models of a provider.
    ProviderWide(Provider),
}

/// Reason why a model cannot serve a turn (004 §4.4). [`Failure::name`] returns the recorded name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The provider has no key or no server, or the model is no longer in the registry.
    NotConfigured,
    /// The model or its provider is unavailable because recent calls failed (004 §4.5).
    ProviderUnavailable(OutageScope),
    /// The prompt has images, which the model does not support.
    NoVisionSupport,
    /// The prompt is longer than the context window of the model.
    ExceedsContextWindow {
        /// Estimated tokens of the prompt, for the model's tokenizer.
        estimate: u64,
        /// Context window of the model in tokens.
        window: u64,
    },
    /// The request defines tools, which the model does not support.
    NoToolSupport,
    /// The request has a system prompt, which the model does not support.
    NoSystemPromptSupport,
    /// The request requires a response that follows a schema, which the model does not support.
    NoStructuredOutputSupport,
    /// The request has a feature that no API of the model supports, or that the model itself does not support.
    UnsupportedFeature {
        /// The unsupported feature.
        requirement: Requirement,
        /// The API that the request would have been converted to.
        api: WireApi,
    },
    /// The request contains thinking that another model signed.
    ThinkingOfAnotherModel,
    /// The model failed earlier in the same turn.
    JustFailed(ErrorClass),
    /// The provider is unavailable because it rejected its configured key (decision D37).
    KeyRefused(Box<RefusedKey>),
}

/// An API key that its provider rejected.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RefusedKey {
    /// The provider.
    pub provider: Provider,
    /// Environment variable that contains the key; `None` if it is in the file `keys`.
    pub variable: Option<String>,
}

impl Failure {
    /// Returns the name of the reason that is recorded and reported to clients (004 §4.4).
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NotConfigured => "not_configured",
            Self::ProviderUnavailable(_) => "provider_unavailable",
            Self::NoVisionSupport => "no_vision_support",
            Self::ExceedsContextWindow { .. } => "exceeds_context_window",
            Self::NoToolSupport => "no_tool_support",
            Self::NoSystemPromptSupport => "no_system_prompt_support",
            Self::NoStructuredOutputSupport => "no_structured_output_support",
            Self::UnsupportedFeature { .. } => "unsupported_feature",
            Self::ThinkingOfAnotherModel => "thinking_of_another_model",
            Self::JustFailed(_) => "just_failed",
            Self::KeyRefused(_) => "key_refused",
        }
    }
}

/// The success of one model on turns that are similar to the current one, compared for a recommendation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternative {
    /// The model.
    pub model: ModelId,
    /// Score of the model (004 §5.5); `None` if it has no scored sample (decision D21).
    pub score: Option<Score>,
    /// Number of scored samples of the model among the neighbours.
    pub samples: u64,
}

/// The model that the pattern store recommends for a turn, and the models it was compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The model with the highest score.
    pub model: ModelId,
    /// Confidence of the estimator; for the paper's formula `(best - second) / best` of the scores (004 §5.5).
    pub confidence: Score,
    /// Number of scored samples of the model among the neighbours.
    pub samples: u64,
    /// All models among the neighbours, the recommended one first.
    pub alternatives: Vec<Alternative>,
}

/// Reason for the verdict of a slot in the decision chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The message names no model with `@`.
    NoOverride,
    /// The message names a model with `@alias`.
    Override {
        /// The alias as written, without the `@`.
        alias: String,
    },
    /// The user has set no model for the session.
    NoSticky,
    /// The user has set a model for the session.
    Sticky,
    /// The policy has no rules for the workspace.
    NoRules,
    /// No rule matched.
    NoRuleMatched {
        /// Whether the rules saw only the start of the message, because it is longer than the searched part (decision D38).
        cut: bool,
    },
    /// A rule matched.
    Rule {
        /// Name of the rule.
        name: String,
        /// Amount in the rule's condition that was exceeded, if the condition has one.
        budget: Option<SpentLimit>,
        /// Whether the rules saw only the start of the message, because it is longer than the searched part (decision D38).
        cut: bool,
    },
    /// The pattern store has no similar turn, or none with a score.
    NoNeighbours,
    /// The recommendation has too few samples or too little confidence.
    BelowThreshold {
        /// Confidence of the recommendation.
        confidence: Score,
        /// Number of scored samples.
        samples: u64,
    },
    /// The turn is a delegation: learned recommendations do not override its tier (decision D24).
    InDelegation,
    /// The pattern store recommends a model.
    Pattern(Recommendation),
    /// The turn is not a delegation.
    NotDelegation,
    /// A planner requested a tier.
    Tier {
        /// Requested tier.
        asked: Tier,
        /// Tier of the candidate: the requested one or a higher one.
        given: Tier,
    },
    /// No model of the requested tier or of a higher one passed validation.
    TierExhausted {
        /// Requested tier.
        asked: Tier,
    },
    /// The policy has no default for the workspace.
    NoWorkspaceDefault,
    /// The default of the workspace applies.
    WorkspaceDefault,
    /// The policy has no global default.
    NoGlobalDefault,
    /// The global default applies.
    GlobalDefault,
    /// The model that the client requested by name.
    ClientModel {
        /// Name in the request.
        name: String,
    },
    /// The client requested a model name that the registry does not contain.
    UnknownClientModel {
        /// Name in the request.
        name: String,
    },
    /// The policy has no last resort, or the request names no model of the registry.
    NoLastResort,
    /// No budget of the policy is spent.
    WithinBudgets,
    /// A budget is spent (decision D46).
    BudgetSpent(Box<SpentBudget>),
    /// No skill of the message asks for a model.
    NoSkillWish,
    /// A skill of the message asks for the model, or for its tier.
    SkillWish {
        /// Name of the skill.
        skill: String,
    },
    /// A skill of the message asks for a model or a tier that the policy does not know.
    UnknownSkillWish {
        /// Name of the skill.
        skill: String,
        /// The model or tier as the skill names it.
        wish: String,
    },
}

/// A budget of the policy whose limit was reached when a turn started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpentBudget {
    /// Name of the budget.
    pub name: String,
    /// The limit with its period.
    pub limit: SpentLimit,
    /// Amount spent in the period.
    pub spent: NanoUsd,
    /// Estimated costs of calls that had not ended.
    pub in_flight: NanoUsd,
    /// End of the period; `None` for the budget of a session.
    pub resets_at: Option<Timestamp>,
}

/// A spending limit: an amount of money per period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpentLimit {
    /// The amount.
    pub amount: NanoUsd,
    /// The period in which it may be spent.
    pub period: Period,
}

impl Reason {
    /// Returns the name of the rule that matched; `None` for all other reasons.
    pub fn rule(&self) -> Option<&str> {
        match self {
            Self::Rule { name, .. } => Some(name),
            _ => None,
        }
    }
}

/// The eight entries of a chain fit in 1 KiB, up to which the system's allocator reuses freed memory quickly. Larger
/// values made a decision 0.1 µs slower, so the rare ones are boxed.
const _: () = assert!(size_of::<ChainEntry>() <= 128, "a chain entry has at most 128 bytes");
