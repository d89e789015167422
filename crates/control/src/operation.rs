//! [`ControlRequest`] and [`Operation`]: the operations of the protocol with the types of their responses.

use engine::{Engine, SkillLibrary};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    error::ControlError,
    operations::{
        AcceptSuggestion, ClearPatterns, CorrectSkill, DismissSuggestion, GiveFeedback, ImportTurns, LogTotals,
        RecordEmbeddings, RecordHookDecisions, RecordVerdicts, RefreshPolicy, ReportGateway, ReportSession,
        RetryProvider, RoutePrompt, SelectModel,
    },
};

/// An operation of a command that an engine executes without blocking.
pub trait Operation: Into<ControlRequest> {
    /// Type of the response.
    type Response: Serialize + DeserializeOwned;

    /// Executes the operation. Events it records are durable after the next [`Engine::commit`].
    ///
    /// # Errors
    /// [`ControlError`] if the request is invalid, or the log cannot be read or written.
    fn execute(self, engine: &mut Engine) -> Result<Self::Response, ControlError>;
}

/// A request over the control socket: one of the operations with its arguments.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "operation", content = "arguments", rename_all = "snake_case", deny_unknown_fields)]
pub enum ControlRequest {
    /// Rates a turn.
    GiveFeedback(GiveFeedback),
    /// Sets or clears the model of a session.
    SelectModel(SelectModel),
    /// Records that the user accepts the recommendation of the pattern store for a turn.
    AcceptSuggestion(AcceptSuggestion),
    /// Records that the user prefers the chosen model of a turn to the recommended one.
    DismissSuggestion(DismissSuggestion),
    /// Records which skill a decision should have loaded.
    CorrectSkill(CorrectSkill),
    /// Clears the learned patterns of one workspace or of all.
    ClearPatterns(ClearPatterns),
    /// Reads the policy file again if it has changed.
    RefreshPolicy(RefreshPolicy),
    /// Imports turns of a session file.
    ImportTurns(ImportTurns),
    /// Returns totals of all events in the log.
    LogTotals(LogTotals),
    /// Records verdicts on turns.
    RecordVerdicts(RecordVerdicts),
    /// Records embeddings of messages.
    RecordEmbeddings(RecordEmbeddings),
    /// Ends the outages of a provider.
    RetryProvider(RetryProvider),
    /// Reports the last turn of a session and what was spent.
    ReportSession(ReportSession),
    /// Reports the version and the providers of the gateway.
    ReportGateway(ReportGateway),
    /// Decides which skills a prompt loads.
    RoutePrompt(RoutePrompt),
    /// Records decisions of hooks that no gateway answered.
    RecordHookDecisions(RecordHookDecisions),
}

impl ControlRequest {
    /// Returns whether [`ControlRequest::prepare`] reads files.
    pub const fn reads_files(&self) -> bool {
        matches!(self, Self::ImportTurns(_) | Self::RoutePrompt(_))
    }

    /// Reads the skills of the workspaces that the request is about, if it needs them. Must be called before the request is
    /// executed, and not on the thread that owns the engine of a gateway.
    pub fn prepare(&mut self, library: &SkillLibrary) {
        match self {
            Self::ImportTurns(import) => import.prepare(library),
            Self::RoutePrompt(prompt) => prompt.prepare(library),
            _ => {}
        }
    }
}

/// Implements `From<Operation> for ControlRequest` for operations whose variant has the same name.
macro_rules! into_request {
    ($($operation:ident),* $(,)?) => {
        $(impl From<$operation> for ControlRequest {
            fn from(operation: $operation) -> Self {
                Self::$operation(operation)
            }
        })*
    };
}

into_request!(
    GiveFeedback,
    SelectModel,
    AcceptSuggestion,
    DismissSuggestion,
    CorrectSkill,
    ClearPatterns,
    RefreshPolicy,
    ImportTurns,
    LogTotals,
    RecordVerdicts,
    RecordEmbeddings,
    RetryProvider,
    ReportSession,
    ReportGateway,
    RoutePrompt,
    RecordHookDecisions,
);
