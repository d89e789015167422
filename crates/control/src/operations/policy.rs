//! The policy file, as the engine reads it.

use engine::Engine;
use router_core::{EmbeddingEndpoint, RecordText};
use serde::{Deserialize, Serialize};

use crate::{error::ControlError, operation::Operation};

/// Reads the policy file again, before an operation that depends on it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefreshPolicy {}

/// The state of the policy after [`RefreshPolicy`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyState {
    /// The policy file.
    pub path: String,
    /// The number of errors in the file; if there are any, the last valid policy is active.
    pub errors: u64,
    /// Whether the policy allows recording the text of messages.
    pub records_text: bool,
    /// The endpoint that embeds messages, if the policy names one.
    pub embedding: Option<EmbeddingEndpoint>,
}

impl Operation for RefreshPolicy {
    type Response = PolicyState;

    fn execute(self, engine: &mut Engine) -> Result<PolicyState, ControlError> {
        engine.refresh_policy()?;
        let policy = &engine.policy().policy;
        Ok(PolicyState {
            path: engine.policy_path().display().to_string(),
            errors: engine.standing_trouble().len() as u64,
            records_text: policy.record_text() != RecordText::Never,
            embedding: policy.embedding().cloned(),
        })
    }
}
