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
mod expectations;
mod feedback;
mod file_stamp;
mod forget;
mod home;
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
mod recorder;
mod repeat;
mod router_state;
mod rule_hits;
mod sessions;
mod turn_events;
mod turn_input;
mod turn_outcome;
mod turns;

pub use active::RecordedConfiguration;
pub use budgets::{BudgetLine, budget_lines};
pub use choices::ModelSelection;
pub use decision_state::DecisionState;
pub use embed::{EmbeddingReactor, EmbeddingRun, EmbeddingSummary, NewEmbedding};
pub use engine::{Engine, PolicyFileProblems, Stores};
pub use error::EngineError;
pub use evaluate::{Evaluation, Reevaluation, RubricFileError, read_rubric};
pub use exchange::{ChainCheck, ExchangeError, ExchangeSummary, event_to_json, export, import, payload_to_json};
pub use expectations::{ExpectationResult, ExpectationsError, check_expectations};
pub use feedback::Feedback;
pub use home::Home;
pub use insight::{RecordedDecision, events, find_decision, find_message, last_decision, last_main_decision};
pub use live::{Call, CallFailure, CallResponse, ToolRequest, ToolResult};
pub use models::Models;
pub use open_turn::{OpenTurn, WaitingTool};
pub use policy_file::{ActivePolicy, BUILT_IN_PATH, BUILT_IN_POLICY, PolicyError, PolicyFile, Refresh};
pub use preview::Assumptions;
pub use purge::{PurgePlan, PurgeScope, plan_purge};
pub use repeat::{captured_turn, repeat_decision, repeat_fallback};
pub use router_state::RouterState;
pub use rule_hits::{Hits, MAX_RULES, RuleHits};
pub use sessions::{History, Session, Sessions};
pub use turn_input::TurnInput;
pub use turn_outcome::{Route, TurnOutcome};
