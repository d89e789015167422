//! [`ProviderClients`], the clients of all configured providers.

use std::{collections::BTreeMap, sync::Arc};

use super::{HttpProvider, Provider};
use crate::{http_client::HttpClient, providers::Providers, redaction::KeyRedactor};

/// A client for each configured provider, by name. Cloning shares the clients.
#[derive(Debug, Clone, Default)]
pub struct ProviderClients(Arc<BTreeMap<String, Arc<dyn Provider>>>);

impl ProviderClients {
    /// Creates a client for each configured provider that sends its requests over HTTP. All share the connection pool
    /// of `client`.
    pub fn over_http(providers: &Providers, client: &HttpClient) -> Self {
        let secrets = providers.iter().filter_map(|config| config.credential.secret());
        let keys = KeyRedactor::new(secrets.map(|secret| secret.plain.as_bytes()));
        let connect = |config| {
            Arc::new(HttpProvider::new(config, client.clone()).with_redactor(keys.clone())) as Arc<dyn Provider>
        };
        providers.iter().cloned().map(connect).collect()
    }

    /// Returns the client of a provider; `None` if it is not configured.
    pub fn get(&self, name: &str) -> Option<&dyn Provider> {
        self.0.get(name).map(AsRef::as_ref)
    }

    /// Returns all clients in the order of the providers' names.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Provider> {
        self.0.values().map(AsRef::as_ref)
    }
}

/// Collects clients by the name of their provider; of several with the same name, the last one is used.
impl FromIterator<Arc<dyn Provider>> for ProviderClients {
    fn from_iter<I: IntoIterator<Item = Arc<dyn Provider>>>(clients: I) -> Self {
        Self(Arc::new(clients.into_iter().map(|client| (client.config().name.clone(), client)).collect()))
    }
}
