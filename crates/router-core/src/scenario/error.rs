//! Errors of scenarios.

use crate::OverrideError;

/// The reason why a scenario (a stated situation of a turn) cannot be decided, such as an unknown model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// The `@` mention at the start of the message cannot be resolved.
    #[error(transparent)]
    Override(#[from] OverrideError),
    /// The scenario names a model that is not in the policy's registry.
    #[error("the scenario names an unknown model `{0}`")]
    UnknownModel(String),
    /// A value has the wrong format.
    #[error("the scenario's {what} `{text}` cannot be read")]
    Unreadable {
        /// Kind of value, such as `time`.
        what: &'static str,
        /// The value as given.
        text: String,
    },
}
