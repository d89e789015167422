//! The operation that reads the policy file.

use engine::Engine;
use router_core::{EmbeddingEndpoint, RecordText};
use serde::{Deserialize, Serialize};

use crate::{error::ControlError, operation::Operation};

/// The request to read the policy file again if it has changed, before an operation that depends on it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefreshPolicy {}

/// Result of [`RefreshPolicy`]: the errors of the policy file, and the active policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyState {
    /// Path of the policy file.
    pub path: String,
    /// Number of errors in the file. If there are any, the last valid policy is active.
    pub errors: u64,
    /// The first error, with its line and column; `None` without one.
    pub first_error: Option<String>,
    /// All errors, each with its line and column.
    pub problems: Vec<String>,
    /// Hash of the text of the active policy.
    pub hash: String,
    /// Number of rules of the active policy, with those of workspaces.
    pub rules: u64,
    /// Whether the policy allows the log to contain the text of messages.
    pub records_text: bool,
    /// Endpoint that embeds messages; `None` if the policy names none.
    pub embedding: Option<EmbeddingEndpoint>,
}

impl Operation for RefreshPolicy {
    type Response = PolicyState;

    fn execute(self, engine: &mut Engine) -> Result<PolicyState, ControlError> {
        engine.refresh_policy()?;
        let policy = &engine.policy().policy;
        Ok(PolicyState {
            path: engine.policy_path().display().to_string(),
            errors: engine.policy_problems().len() as u64,
            first_error: engine.policy_problems().first().map(ToString::to_string),
            problems: engine.policy_problems().iter().map(ToString::to_string).collect(),
            hash: engine.policy().hash.to_string(),
            rules: policy.rules().count() as u64,
            records_text: policy.record_text() != RecordText::Never,
            embedding: policy.embedding().cloned(),
        })
    }
}
