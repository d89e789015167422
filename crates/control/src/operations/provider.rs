//! The operation that ends the outages of a provider.

use contracts::{OutageScope, Provider};
use engine::Engine;
use serde::{Deserialize, Serialize};

use crate::{error::ControlError, operation::Operation};

/// The greatest number of characters of an unknown name that an error repeats.
const MAX_SHOWN_CHARS: usize = 40;

/// The request to end the outages of a provider and of its models, so that the next turn can call them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryProvider {
    /// Name of the provider, as in `name:model`.
    pub provider: String,
}

/// Result of [`RetryProvider`]: the outages that it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetriedProvider {
    /// Name of the provider.
    pub provider: Provider,
    /// The scopes that were unavailable; empty if none was.
    pub ended: Vec<OutageScope>,
}

impl Operation for RetryProvider {
    type Response = RetriedProvider;

    fn execute(self, engine: &mut Engine) -> Result<RetriedProvider, ControlError> {
        let providers: Vec<_> = engine.models().registry.providers().collect();
        let provider = providers.iter().find(|name| name.as_str() == self.provider);
        let Some(provider) = provider.map(|provider| (*provider).clone()) else {
            let names: Vec<_> = providers.iter().map(|provider| provider.as_str()).collect();
            let shown_name: String = self.provider.chars().take(MAX_SHOWN_CHARS).collect();
            return Err(ControlError::invalid(format!(
                "no model has the provider `{}`; the providers are {}",
                shown_name.escape_debug(),
                names.join(", ")
            )));
        };
        let ended = engine.retry_provider(&provider)?;
        Ok(RetriedProvider { provider, ended })
    }
}
