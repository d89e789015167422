//! Configuration of the providers: the built-in ones, overridden by the user's entries.

use std::collections::BTreeMap;

use contracts::{KeyId, ModelSpec, Registry, WireApi, usual_key_variable};
use serde::Deserialize;

use crate::{
    credential::{Credential, HeaderSecret},
    http_url::parse_http_url,
    key_salt::KeySalt,
    keys::Keys,
};

/// The built-in providers: name and base URL. Those without a usual key variable need no key.
const BUILT_IN: [(&str, &str); 9] = [
    ("anthropic", "https://api.anthropic.com"),
    ("openai", "https://api.openai.com/v1"),
    ("google", "https://generativelanguage.googleapis.com"),
    ("openrouter", "https://openrouter.ai/api/v1"),
    ("mistral", "https://api.mistral.ai/v1"),
    ("deepseek", "https://api.deepseek.com/v1"),
    ("groq", "https://api.groq.com/openai/v1"),
    ("xai", "https://api.x.ai/v1"),
    ("ollama", "http://localhost:11434/v1"),
];

/// The base URL of the Responses API for clients with a `ChatGPT` login, as Codex uses it.
const CHATGPT_URL: &str = "https://chatgpt.com/backend-api/codex";

/// The built-in providers whose Chat Completions API rejects unknown fields, the newer ones of `OpenAI` among them.
const WITHOUT_NEWER_CHAT_FIELDS: [&str; 1] = ["mistral"];

/// A provider in the user's configuration file, under `providers`. For a built-in provider, missing fields keep their
/// values.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderEntry {
    /// The base URL of its API, such as `https://api.openai.com/v1`.
    pub url: Option<String>,
    /// The base URL for requests with the login of a client instead of a key.
    pub login_url: Option<String>,
    /// The environment variable that contains its key.
    pub key_env: Option<String>,
    /// Whether it needs no key, like a server on the same machine.
    pub keyless: Option<bool>,
    /// The wire APIs it supports, the preferred one first.
    pub apis: Option<Vec<WireApi>>,
}

impl ProviderEntry {
    /// Fills missing fields of a provider's configuration from `defaults`.
    fn or_defaults(self, defaults: Self) -> Self {
        Self {
            url: self.url.or(defaults.url),
            login_url: self.login_url.or(defaults.login_url),
            key_env: self.key_env.or(defaults.key_env),
            keyless: self.keyless.or(defaults.keyless),
            apis: self.apis.or(defaults.apis),
        }
    }
}

/// Configuration of one model provider: URL, APIs and API key. [`Providers`] contains all of them.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    /// Name, as in `name:model`.
    pub name: String,
    /// Base URL of its API, without a slash at the end.
    pub url: String,
    /// Base URL for requests with the login of a client; `None` if it is `url`.
    pub login_url: Option<String>,
    /// Supported wire APIs, the preferred one first.
    pub apis: Vec<WireApi>,
    /// Key and its source.
    pub credential: Credential,
    /// Identity of the key in events; `None` if none is configured.
    pub key: Option<KeyId>,
    /// Environment variable of the key; `None` if none is configured or needed.
    pub key_env: Option<String>,
    /// Whether its Chat Completions API accepts newer fields such as `max_completion_tokens` and `stream_options`. A
    /// provider without them responds with 422, and reports the usage of a stream by default.
    pub newer_chat: bool,
}

/// Error of a provider's configuration, such as an invalid URL.
#[derive(Debug, thiserror::Error)]
#[error("provider `{name}` cannot be used: {cause}")]
pub struct ProviderError {
    /// Name of the provider.
    pub name: String,
    /// Cause of the error. Contains neither a key nor the URL, which may include a password.
    pub cause: String,
}

/// Configuration of all providers, by name.
#[derive(Debug, Clone, Default)]
pub struct Providers(BTreeMap<String, ProviderConfig>);

impl Providers {
    /// Combines the user's `entries` with the built-in providers, and resolves the API key of each: from the
    /// environment, or else from `keys`. `environment` looks up an environment variable.
    ///
    /// # Errors
    /// [`ProviderError`] for a provider without a valid URL, or with a key that no header value may have.
    pub fn new(
        entries: &BTreeMap<String, ProviderEntry>,
        keys: &Keys,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ProviderError> {
        let mut merged_entries: BTreeMap<String, ProviderEntry> =
            BUILT_IN.iter().map(|(name, url)| ((*name).to_owned(), built_in_entry(name, url))).collect();
        for (name, entry) in entries {
            let defaults = merged_entries.remove(name).unwrap_or_default();
            merged_entries.insert(name.clone(), entry.clone().or_defaults(defaults));
        }
        let configs = merged_entries.into_iter().map(|(name, entry)| {
            let config = resolve_config(&name, entry, keys, &environment)?;
            Ok((name, config))
        });
        Ok(Self(configs.collect::<Result<_, ProviderError>>()?))
    }

    /// Computes the hashes of all API keys again with `salt`. Without this call the salt is all zeros.
    #[must_use]
    pub fn with_salt(mut self, salt: &KeySalt) -> Self {
        for config in self.0.values_mut() {
            let secret = config.credential.secret().map(|secret| salt.hash(secret.plain.as_bytes()));
            for (key, hash) in config.key.iter_mut().zip(secret) {
                key.hash = hash;
            }
        }
        self
    }

    /// Returns the configuration of a provider; `None` if it is not configured.
    pub fn get(&self, name: &str) -> Option<&ProviderConfig> {
        self.0.get(name)
    }

    /// Returns all providers in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &ProviderConfig> {
        self.0.values()
    }

    /// Returns a copy of the registry in which each model states how it can be reached: the wire APIs of its provider,
    /// and `configured` only if the provider is configured and its key is known or not needed.
    ///
    /// APIs in a model's own entry take precedence over those of its provider.
    pub fn apply(&self, registry: &Registry) -> Registry {
        let models: Vec<ModelSpec> = registry.iter().cloned().map(|model| self.with_reachability(model)).collect();
        let auto_names: Vec<String> = registry.auto_names().map(str::to_owned).collect();
        // No name has changed, so each still belongs to one model and the error cannot occur.
        Registry::new(models).map_or_else(|_| registry.clone(), |registry| registry.with_auto_names(auto_names))
    }

    /// Sets the APIs of a model to those of its provider, and `configured` to whether the model can be reached.
    fn with_reachability(&self, mut model: ModelSpec) -> ModelSpec {
        let Some(provider) = self.get(model.provider.as_str()) else {
            return ModelSpec { configured: false, ..model };
        };
        model.configured &= !provider.credential.is_clients_own();
        let has_own_apis = model.apis != WireApi::usual(model.provider.as_str());
        if !has_own_apis {
            model.apis.clone_from(&provider.apis);
        }
        model
    }
}

/// Returns the configuration entry of a built-in provider with this name and base URL.
fn built_in_entry(name: &str, url: &str) -> ProviderEntry {
    let key_env = usual_key_variable(name).map(str::to_owned);
    let login_url = (name == "openai").then(|| CHATGPT_URL.to_owned());
    ProviderEntry { url: Some(url.to_owned()), login_url, keyless: Some(key_env.is_none()), key_env, apis: None }
}

/// Validates the combined entry of a provider and resolves its API key: from the environment, or else from the file of
/// keys.
fn resolve_config(
    name: &str,
    entry: ProviderEntry,
    keys: &Keys,
    environment: &impl Fn(&str) -> Option<String>,
) -> Result<ProviderConfig, ProviderError> {
    let config_error = |cause: String| ProviderError { name: name.to_owned(), cause };
    let url = entry.url.ok_or_else(|| config_error("its `url` is missing in gateway.yaml".to_owned()))?;
    let url = url.trim_end_matches('/').to_owned();
    parse_http_url(&url).map_err(|cause| config_error(format!("its `url` {cause}")))?;
    let login_url = entry.login_url.map(|url| url.trim_end_matches('/').to_owned());
    if let Some(url) = &login_url {
        parse_http_url(url).map_err(|cause| config_error(format!("its `login_url` {cause}")))?;
    }
    let header_secret = |key: &str| {
        HeaderSecret::new(key).ok_or_else(|| config_error("its key has characters no header may have".to_owned()))
    };
    let from_environment = entry.key_env.as_deref().and_then(environment).filter(|key| !key.is_empty());
    let variable = entry.key_env.clone().filter(|_| from_environment.is_some());
    let credential = if let Some(key) = from_environment {
        Credential::Environment(header_secret(&key)?)
    } else if let Some(key) = keys.get(name) {
        Credential::File(header_secret(key)?)
    } else if entry.keyless == Some(true) {
        Credential::NotNeeded
    } else {
        Credential::None
    };
    let apis = entry.apis.filter(|apis| !apis.is_empty()).unwrap_or_else(|| WireApi::usual(name));
    let newer_chat = !WITHOUT_NEWER_CHAT_FIELDS.contains(&name);
    let hash = credential.secret().map(|header_secret| KeySalt::default().hash(header_secret.plain.as_bytes()));
    let key = hash.map(|hash| KeyId { hash, variable });
    let (name, key_env) = (name.to_owned(), entry.key_env);
    Ok(ProviderConfig { name, url, login_url, apis, credential, key, key_env, newer_chat })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Credential, Keys, ProviderEntry, ProviderError, Providers};

    fn with_acme(entry: ProviderEntry) -> Result<Providers, ProviderError> {
        Providers::new(&BTreeMap::from([("acme".to_owned(), entry)]), &Keys::default(), |_| None)
    }

    #[test]
    fn a_key_in_the_environment_makes_the_models_of_its_provider_reachable_and_no_others() {
        let environment = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "sk-secret".to_owned());
        let providers = Providers::new(&BTreeMap::new(), &Keys::default(), environment).unwrap();
        let registry = providers.apply(&catalogue::load_registry(None).unwrap());
        for model in registry.iter() {
            let reachable = matches!(model.provider.as_str(), "anthropic" | "ollama");
            assert_eq!(model.configured, reachable, "{}", model.id);
        }
        assert!(!format!("{providers:?}").contains("sk-secret"));
    }

    #[test]
    fn a_provider_without_a_usable_url_is_refused_and_a_password_is_not_repeated() {
        for (url, cause) in
            [(None, "missing"), (Some("ftp://x"), "neither"), (Some("http://me:pw@host/v1"), "password")]
        {
            let entry = ProviderEntry { url: url.map(str::to_owned), ..ProviderEntry::default() };
            let error = with_acme(entry).unwrap_err().to_string();
            assert!(error.contains("acme") && error.contains(cause) && !error.contains("pw@"), "{error}");
        }
    }

    #[test]
    fn a_keyless_provider_needs_a_url_alone() {
        let url = Some("http://localhost:9/v1/".to_owned());
        let providers = with_acme(ProviderEntry { url, keyless: Some(true), ..ProviderEntry::default() }).unwrap();
        let acme = providers.get("acme").unwrap();
        assert_eq!(acme.url, "http://localhost:9/v1");
        assert!(matches!(acme.credential, Credential::NotNeeded));
    }

    #[test]
    fn an_entry_replaces_the_given_fields_of_a_built_in_provider() {
        let entry = ProviderEntry { url: Some("http://localhost:9".to_owned()), ..ProviderEntry::default() };
        let entries = BTreeMap::from([("openai".to_owned(), entry)]);
        let environment = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-1".to_owned());
        let providers = Providers::new(&entries, &Keys::default(), environment).unwrap();
        let openai = providers.get("openai").unwrap();
        assert_eq!(openai.url, "http://localhost:9");
        assert!(matches!(openai.credential, Credential::Environment(_)));
    }
}
