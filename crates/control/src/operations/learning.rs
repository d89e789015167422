//! What is learned from turns: patterns, verdicts, embeddings.

use contracts::events::PatternsCleared;
use engine::{Engine, NewEmbedding};
use evaluator::DueVerdict;
use serde::{Deserialize, Serialize};

use crate::{error::ControlError, operation::Operation};

/// Clears the patterns of a workspace, or of all. The events they were learned from stay in the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClearPatterns {
    /// Whether to clear every workspace.
    pub all: bool,
    /// The absolute path of the workspace; `None` for turns without one.
    pub workspace: Option<String>,
}

impl Operation for ClearPatterns {
    type Response = PatternsCleared;

    fn execute(self, engine: &mut Engine) -> Result<PatternsCleared, ControlError> {
        Ok(engine.clear_patterns(self.all, self.workspace)?)
    }
}

/// Records verdicts on turns.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordVerdicts {
    /// At most [`RecordVerdicts::MAX`] verdicts.
    pub verdicts: Vec<DueVerdict>,
}

impl RecordVerdicts {
    /// The most verdicts of one request, which bounds the time that other requests wait.
    pub const MAX: usize = 256;
}

impl Operation for RecordVerdicts {
    type Response = ();

    fn execute(self, engine: &mut Engine) -> Result<(), ControlError> {
        Ok(engine.record_verdicts(self.verdicts)?)
    }
}

/// Records embeddings of messages.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordEmbeddings {
    /// The embeddings.
    pub embeddings: Vec<NewEmbedding>,
}

impl Operation for RecordEmbeddings {
    type Response = ();

    fn execute(self, engine: &mut Engine) -> Result<(), ControlError> {
        Ok(engine.record_embeddings(self.embeddings)?)
    }
}
