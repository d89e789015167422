//! Finds the keys of providers, in the environment and in the file `keys`.

use adapters::{Keys, ProviderConfig, Providers};
use engine::Home;
use gateway::{Configuration, ConfigurationError};

use crate::failure::Failure;

/// A provider with an API key, and the place where the key was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeySource {
    /// The name of the provider.
    pub(crate) provider: String,
    /// The environment variable, or the path of the file `keys`.
    pub(crate) place: String,
    /// Whether the key is in the file `keys`, which a running gateway can read again.
    pub(crate) is_in_file: bool,
}

/// Loads the providers as `serve` does: the built-in ones, those of `gateway.yaml`, and their API keys.
pub(crate) fn load_providers(home: &Home) -> Result<Providers, Failure> {
    let configuration = Configuration::load(&home.dir.join("gateway.yaml"))?;
    let keys = Keys::load(&home.dir.join("keys")).map_err(ConfigurationError::from)?;
    let environment = |name: &str| std::env::var(name).ok();
    Ok(Providers::new(&configuration.providers, &keys, environment).map_err(ConfigurationError::from)?)
}

/// Returns the providers that have an API key, each with the place of the key.
pub(crate) fn find_keys(home: &Home, providers: &Providers) -> Vec<KeySource> {
    let place = |provider: &ProviderConfig| match provider.credential.name() {
        "environment" => provider.key_env.clone(),
        "file" => Some(home.dir.join("keys").display().to_string()),
        _ => None,
    };
    let sources = providers.iter().filter_map(|provider| {
        let is_in_file = provider.credential.name() == "file";
        Some(KeySource { provider: provider.name.clone(), place: place(provider)?, is_in_file })
    });
    sources.collect()
}
