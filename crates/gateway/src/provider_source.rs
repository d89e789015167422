//! [`ProviderSource`], which reads the providers and their keys again while the gateway runs.

use std::{collections::BTreeMap, fmt};

use adapters::{ProviderConfig, Providers};
use contracts::{KeyHash, Provider};
use engine::Models;

/// The function type of [`ProviderSource`].
type Load = dyn Fn() -> Result<(Providers, Models), String> + Send + Sync;

/// Reads the configuration of the providers with their keys, and the models, which state whether they can be reached.
pub struct ProviderSource(Box<Load>);

impl ProviderSource {
    /// Creates a source from a function. Its models must have been passed through [`Providers::apply`]; its error is a
    /// message for the user.
    pub fn new(load: impl Fn() -> Result<(Providers, Models), String> + Send + Sync + 'static) -> Self {
        Self(Box::new(load))
    }

    /// Calls the function.
    ///
    /// # Errors
    /// The message for the user if a file is invalid.
    pub(crate) fn load(&self) -> Result<(Providers, Models), String> {
        (self.0)()
    }
}

impl fmt::Debug for ProviderSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProviderSource")
    }
}

/// Returns the hash of the configured API key of each provider.
pub(crate) fn key_hashes(providers: &Providers) -> BTreeMap<Provider, KeyHash> {
    let hash =
        |config: &ProviderConfig| Some((Provider::try_from(config.name.as_str()).ok()?, config.key.as_ref()?.hash));
    providers.iter().filter_map(hash).collect()
}
