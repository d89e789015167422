//! Finds the keys of providers, in the environment and in the file `keys`.

use adapters::{Keys, ProviderConfig, Providers};
use engine::Home;
use gateway::{Configuration, ConfigurationError};

use crate::failure::Failure;

/// A provider with a key, and the place of the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeySource {
    /// The name of the provider.
    pub(crate) provider: String,
    /// The environment variable, or the path of the file `keys`.
    pub(crate) place: String,
}

/// Loads the providers as `serve` does: those built in, the ones of `gateway.yaml`, and their keys.
pub(crate) fn load_providers(home: &Home) -> Result<Providers, Failure> {
    let configuration = Configuration::load(&home.dir.join("gateway.yaml"))?;
    let keys = Keys::load(&home.dir.join("keys")).map_err(ConfigurationError::from)?;
    let environment = |name: &str| std::env::var(name).ok();
    Ok(Providers::new(&configuration.providers, &keys, environment).map_err(ConfigurationError::from)?)
}

/// Returns the providers that have a key, with its place.
pub(crate) fn find_keys(home: &Home, providers: &Providers) -> Vec<KeySource> {
    let place = |provider: &ProviderConfig| match provider.credential.name() {
        "environment" => provider.key_env.clone(),
        "file" => Some(home.dir.join("keys").display().to_string()),
        _ => None,
    };
    let sources = providers
        .iter()
        .filter_map(|provider| Some(KeySource { provider: provider.name.clone(), place: place(provider)? }));
    sources.collect()
}
