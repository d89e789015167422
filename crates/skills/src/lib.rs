//! Decides which skill a request loads, and records why.
//!
//! A *skill* is a set of instructions that an agent can load by name. [`parse_manifest`]
//! reads one from a `SKILL.md` and reports each problem as a [`Finding`], the `lint_*` functions check it for authors, and
//! [`SkillIndex`] is the set of skills of a workspace. [`SkillRouter`] prepares them with the trigger table and the settings
//! for [`decide`].
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod agents_md;
mod breaker;
mod cases;
mod combination;
pub mod coverage_gaps;
mod decide;
mod deferral;
pub mod detectors;
mod explicit;
mod finding;
mod fraction;
mod history;
mod index;
mod keyword;
mod lint;
mod llm;
mod manifest;
mod phrases;
mod plugin_name;
mod rank;
mod rate;
mod request;
mod router;
pub mod routing_log;
pub mod scaling;
mod score;
mod settings;
mod skill;
pub mod telemetry;
mod text;
mod tree;
mod triggers;

pub use agents_md::{AgentsFile, AgentsFiles, AgentsMd, ForbiddenSkill, PolicyMatch, PolicyRow, SkillRow};
pub use breaker::{Breaker, BreakerTrip, RoutingContext, RoutingHop, TransitionKind, TripStep};
pub use cases::{CasesReport, ConfusedSkills, RoutingCase, parse_cases};
pub use combination::{InlineContent, MultiSkillContext, SkillStep, StepStatus};
pub use decide::{SKILL_DECIDER_VERSION, confidence, decide, is_degraded, layer_reached};
pub use deferral::{
    Deferral, FailurePattern, FailurePatterns, FailureResponse, IgnoredFailure, PatternError, RetrySettings,
};
pub use finding::{Finding, FindingCode, Severity};
pub use history::{LoadedSkill, MAX_DECISIONS, RoutedRequest, SkillHistory, SkillHistoryEvent};
pub use index::SkillIndex;
pub use lint::{MAX_CATALOGUE_CHARACTERS, TableKeywords, lint_catalogue, lint_instructions, lint_keywords, lint_names};
pub use llm::{
    Calibration, CalibrationRow, CatalogueSkill, ContextSignals, INSTRUCTIONS, LabelledReply, LlmQuestion, LlmReply,
    LlmReplyError, LlmSettings, MIN_CALIBRATION_REPLIES, parse_reply,
};
pub use manifest::{MAX_MANIFEST_BYTES, Manifest, ManifestPlace, decode_text, file_too_large, parse_manifest};
pub use rank::{LearnedIntent, RankedSkill, SkillRanker, SkillRanking, TrainingRequest};
pub use rate::Rate;
pub use request::{LlmAnswer, SkillRequest};
pub use router::{SkillRouter, SkillRouterError, SkillSources};
pub use score::{
    Clarification, ComponentError, Components, Exclusion, IntentValue, MAX_ATTAINABLE, NoLoadReason, Probabilities,
    ScoreDecision, ScoreIndex, ScoreInput, ScoreOutcome, ScoredSkill, ScoringSettings,
};
pub use settings::{
    BreakerSettings, CombineSettings, ConfidenceSettings, LoopRule, MatchingSettings, NegativeScope, SkillLayers,
    SkillSettings,
};
pub use skill::{Skill, SkillScope};
pub use tree::{
    DecisionTree, TaskTypeMatch, TaskTypeSettings, TaskTypes, TreeError, TreeInput, TreeNote, TreeOutcome,
    TreeRowSettings,
};
pub use triggers::{
    ChangedDecision, Collision, CollisionKind, Compound, CompoundCondition, CompoundError, KeywordPreview,
    LabelledRequest, MAX_COLLISIONS, NegativeKeyword, TriggerRow, TriggerTable, collisions, collisions_up_to,
    parse_trigger_table, preview_keyword,
};
