//! Operations on learned data: patterns, verdicts and embeddings.

use contracts::events::PatternsCleared;
use engine::{Engine, NewEmbedding};
use evaluator::DueVerdict;
use serde::{Deserialize, Serialize};

use crate::{error::ControlError, operation::Operation};

/// The request to clear the patterns of one workspace or of all. The events that they were learned from stay in the
/// log.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClearPatterns {
    /// Whether to clear the patterns of all workspaces.
    pub all: bool,
    /// If `all` is false: absolute path of the workspace; `None` for turns without a workspace.
    pub workspace: Option<String>,
}

impl Operation for ClearPatterns {
    type Response = PatternsCleared;

    fn execute(self, engine: &mut Engine) -> Result<PatternsCleared, ControlError> {
        Ok(engine.clear_patterns(self.all, self.workspace)?)
    }
}

/// The request to record verdicts that the evaluator reached on past turns.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordVerdicts {
    /// The verdicts with their turns, at most [`RecordVerdicts::MAX`].
    pub verdicts: Vec<DueVerdict>,
}

impl RecordVerdicts {
    /// Maximum number of verdicts in one request, which limits the time that other requests wait.
    pub const MAX: usize = 256;
}

impl Operation for RecordVerdicts {
    type Response = ();

    fn execute(self, engine: &mut Engine) -> Result<(), ControlError> {
        Ok(engine.record_verdicts(self.verdicts)?)
    }
}

/// The request to record embeddings of turns' messages.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordEmbeddings {
    /// The embeddings with the ids of their turns.
    pub embeddings: Vec<NewEmbedding>,
}

impl Operation for RecordEmbeddings {
    type Response = ();

    fn execute(self, engine: &mut Engine) -> Result<(), ControlError> {
        Ok(engine.record_embeddings(self.embeddings)?)
    }
}
