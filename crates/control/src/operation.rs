//! The operations of the protocol, and the type of each one's response.

use engine::Engine;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    error::ControlError,
    operations::{
        AcceptSuggestion, ClearPatterns, DismissSuggestion, GiveFeedback, ImportTurns, LogTotals, RecordEmbeddings,
        RecordVerdicts, RefreshPolicy, SelectModel,
    },
};

/// An operation that an engine executes without waiting for anything.
pub trait Operation: Into<ControlRequest> {
    /// Its result.
    type Response: Serialize + DeserializeOwned;

    /// Executes the operation. Events it records are durable after the next [`Engine::commit`].
    ///
    /// # Errors
    /// [`ControlError`] when the request is wrong or the log cannot be read or written.
    fn execute(self, engine: &mut Engine) -> Result<Self::Response, ControlError>;
}

/// A request: one of the operations with its arguments.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "operation", content = "arguments", rename_all = "snake_case", deny_unknown_fields)]
pub enum ControlRequest {
    /// Rates a turn.
    GiveFeedback(GiveFeedback),
    /// Sets or clears the model of a session.
    SelectModel(SelectModel),
    /// Accepts the pattern store's suggestion for a turn.
    AcceptSuggestion(AcceptSuggestion),
    /// Dismisses the pattern store's suggestion for a turn.
    DismissSuggestion(DismissSuggestion),
    /// Clears the patterns of a workspace, or of all.
    ClearPatterns(ClearPatterns),
    /// Reads the policy file again.
    RefreshPolicy(RefreshPolicy),
    /// Records turns of a session file.
    ImportTurns(ImportTurns),
    /// Sums up the log.
    LogTotals(LogTotals),
    /// Records verdicts on turns.
    RecordVerdicts(RecordVerdicts),
    /// Records embeddings of messages.
    RecordEmbeddings(RecordEmbeddings),
}

/// Lets each operation be passed where a request is expected.
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
    ClearPatterns,
    RefreshPolicy,
    ImportTurns,
    LogTotals,
    RecordVerdicts,
    RecordEmbeddings,
);
