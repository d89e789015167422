//! The engine: puts policy, models, log and projections together, and routes turns through them.
//!
//! Front ends (the command line, the gateway) use an [`Engine`]. Everything it does is an event in the log, and
//! everything it knows is folded from there.

mod active;
mod budgets;
mod bus_state;
mod capture;
mod choices;
mod decision;
mod decision_state;
mod embed;
mod engine;
mod error;
mod evaluate;
mod exchange;
mod exchange_error;
mod expectations;
mod feedback;
mod file_stamp;
mod forget;
mod home;
mod idle_sessions;
mod idle_workspaces;
mod insight;
mod live;
mod mention;
mod models;
mod observation;
mod observe;
mod open_turn;
mod outages;
mod past_costs;
mod policy_file;
mod preview;
mod purge;
mod recorded_policies;
mod recorder;
mod repairs;
mod repeat;
mod retention;
mod router_state;
mod rule_hits;
mod session_status;
mod sessions;
mod skill_correction;
mod skill_questions;
mod skill_routing;
mod state_in_memory;
mod turn_events;
mod turn_input;
mod turn_outcome;
mod turns;

pub use active::RecordedConfiguration;
pub use budgets::{BudgetLine, budget_lines};
pub use choices::ModelSelection;
pub use decision_state::DecisionState;
pub use embed::{EmbeddingReactor, EmbeddingRun, EmbeddingSummary, NewEmbedding};
pub use engine::{Engine, Stores};
pub use error::EngineError;
pub use evaluate::{Evaluation, Reevaluation, RubricFileError, read_rubric};
pub use exchange::{ChainCheck, ExchangeSummary, event_to_json, export, import, payload_to_json, referenced_text};
pub use exchange_error::ExchangeError;
pub use expectations::{ExpectationResult, ExpectationsError, check_expectations};
pub use feedback::Feedback;
pub use file_stamp::wait_until_settled;
pub use home::Home;
pub use insight::{
    RecordedDecision, events, find_decision, find_message, find_recent_decision, find_skill_decision, last_decision,
    last_main_decision, last_policy,
};
pub use live::{Call, CallFailure, ToolResult};
pub use models::Models;
pub use open_turn::{OpenDeferral, OpenTurn, WaitingTool};
pub use policy_file::{
    ActivePolicy, BUILT_IN_PATH, BUILT_IN_POLICY, LostRules, PolicyError, PolicyFile, PolicyFileProblems, Refresh,
    parse_policy,
};
pub use preview::Assumptions;
pub use purge::{PurgePlan, PurgeScope, plan_purge};
pub use recorded_policies::RecordedPolicies;
pub use repeat::{ReplacedViews, repeat_decision, repeat_fallback};
pub use retention::{RetentionPlan, RetentionScope, plan_retention};
pub use router_state::RouterState;
pub use rule_hits::{Hits, MAX_RULES, RuleHits};
pub use session_status::{LastTurn, SessionStatus};
pub use sessions::{History, HookDecision, Session, SessionSkills, Sessions};
pub use skill_questions::SkillQuestions;
pub use skill_routing::{
    HookPrompt, MAX_FAILURE_BYTES, MAX_REPLY_TOKENS, OfferedSkill, PreparedSkills, SkillAnswer, SkillCallResult,
    SkillDecision, SkillLibrary, SkillModel, SkillQuestion, SkillRepeatError, SkillReplay, WorkspaceSkills,
};
pub use turn_input::TurnInput;
pub use turn_outcome::{Route, TurnOutcome};
