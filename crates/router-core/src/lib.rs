//! Policies and the decision chain, which decides which model answers a turn.
//!
//! [`decide`] is a pure and total function: it reads a [`Turn`](contracts::Turn), a [`Policy`] and the
//! [`Views`](contracts::views::Views) of one log position, and always returns a decision, with the reason of every slot
//! that was evaluated.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod banner;
mod budget;
mod chain;
mod check;
mod explain;
mod model_choice;
mod override_token;
mod policy;
mod predicate;
mod scenario;
mod skill_choice;
mod text_set;
mod time_window;
mod utc;
mod validate;
mod why;
mod yaml;

pub use banner::{Banner, Notify, RefusalHelp, banners, notice_line};
pub use budget::{Budget, BudgetScope, BudgetState, ModelList, OnReached};
pub use chain::{EvaluateSlots, evaluate_chain};
pub use check::{Warning, warnings};
pub use explain::{Explain, chain_json, reason_text};
pub use model_choice::{
    DECIDER_VERSION, Decided, ModelNotice, NoticeContext, TurnStage, decide, key_refused, key_refused_remedy,
};
pub use override_token::{OverrideError, OverrideMessage, parse_override, resembles_model};
pub use policy::{
    AuxiliaryCalls, ClientModel, CountTokens, DisagreementSettings, EmbeddingEndpoint, Fallback, GatewaySettings,
    LastResort, OnExplicitReject, Policy, PolicySection, Problem, RecordText, RuleCost, RuleView, SCHEMA, TextCost,
    extension_name, normalize_path, schema_text,
};
pub use scenario::{Outcome, Scenario, ScenarioError, StatedRequest, StatedSpending, StatedTurn};
pub use skill_choice::SkillNotice;
pub use validate::{adapted_features, select_api};
pub use why::{WhyHeader, why, why_fallback};
