//! The operations: one type for each, with its response.

mod hook;
mod import;
mod learning;
mod policy;
mod prompt;
mod provider;
mod report;
mod skill;
mod user;

pub use hook::{HookDecision, RecordHookDecisions, RecordedHookDecisions};
pub use import::{ImportTurns, ImportedPart, ImportedTurns, LogTotals, Totals};
pub use learning::{ClearPatterns, RecordEmbeddings, RecordVerdicts};
pub use policy::{PolicyState, RefreshPolicy};
pub use prompt::RoutePrompt;
pub use provider::{RetriedProvider, RetryProvider};
pub use report::{GatewayReport, LimitReport, ReportGateway, ReportSession, SessionReport, TurnReport};
pub use skill::CorrectSkill;
pub use user::{AcceptSuggestion, DismissSuggestion, GiveFeedback, SelectModel, SelectedModel};
