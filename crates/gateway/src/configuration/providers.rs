//! The providers: where each is, what it speaks, and by which key it is reached.

use std::{collections::BTreeMap, fmt};

use contracts::{ModelSpec, Registry, WireApi};
use hyper::header::HeaderValue;

use super::{Configuration, ConfigurationError, Keys, ProviderEntry, address::http_address};

/// The providers that need no configuration: name, address, variable of the key.
const BUILT_IN: [(&str, &str, &str); 9] = [
    ("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    ("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    ("google", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY"),
    ("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    ("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    ("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    ("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    ("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
    ("ollama", "http://localhost:11434/v1", ""),
];

/// A provider, ready to be asked.
#[derive(Debug, Clone)]
pub struct Provider {
    /// Its name, as in `name:model`.
    pub name: String,
    /// Where its API begins, without a slash at the end.
    pub url: String,
    /// The APIs it speaks, the preferred one first.
    pub apis: Vec<WireApi>,
    /// By what it is reached.
    pub credential: Credential,
    /// Whether its chat completions know `max_completion_tokens`, `stream_options` and the like. One that does not
    /// answers 422 to them, and tells the usage of a stream unasked.
    pub newer_chat: bool,
}

/// The providers whose chat completions refuse every field they do not know, the newer ones of `OpenAI` among them.
const OLDER_CHAT: [&str; 1] = ["mistral"];

/// By what a provider is reached.
#[derive(Clone)]
pub enum Credential {
    /// A key from the environment.
    Environment(HeaderSecret),
    /// A key from the file.
    File(HeaderSecret),
    /// None is needed.
    NotNeeded,
    /// None is known here: a client may bring its own.
    None,
}

/// A key as the value of a header; never printed.
#[derive(Clone)]
pub struct HeaderSecret {
    /// The key alone.
    pub(crate) plain: HeaderValue,
    /// `Bearer` and the key.
    pub(crate) bearer: HeaderValue,
}

impl fmt::Debug for HeaderSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeaderSecret")
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Credential {
    /// Where it is from.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Environment(_) => "environment",
            Self::File(_) => "file",
            Self::NotNeeded => "not_needed",
            Self::None => "client",
        }
    }

    pub(crate) const fn secret(&self) -> Option<&HeaderSecret> {
        match self {
            Self::Environment(secret) | Self::File(secret) => Some(secret),
            Self::NotNeeded | Self::None => None,
        }
    }
}

/// All providers, by name.
#[derive(Debug, Clone, Default)]
pub struct Providers(BTreeMap<String, Provider>);

impl Providers {
    /// The built-in providers with what the file says over them. `environment` looks up a variable.
    ///
    /// # Errors
    /// [`ConfigurationError::Provider`] for one without an address, or with one that cannot be used.
    pub fn new(
        configuration: &Configuration,
        keys: &Keys,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigurationError> {
        let mut entries: BTreeMap<String, ProviderEntry> = BUILT_IN
            .iter()
            .map(|(name, url, key_env)| {
                let key_env = Some((*key_env).to_owned()).filter(|name| !name.is_empty());
                let keyless = key_env.is_none();
                let entry = ProviderEntry { url: Some((*url).to_owned()), key_env, keyless: Some(keyless), apis: None };
                ((*name).to_owned(), entry)
            })
            .collect();
        for (name, said) in &configuration.providers {
            let entry = entries.entry(name.clone()).or_default();
            entry.url = said.url.clone().or(entry.url.take());
            entry.key_env = said.key_env.clone().or(entry.key_env.take());
            entry.keyless = said.keyless.or(entry.keyless);
            entry.apis = said.apis.clone().or(entry.apis.take());
        }
        let providers = entries.into_iter().map(|(name, entry)| {
            let provider = provider(&name, entry, keys, &environment)?;
            Ok((name, provider))
        });
        Ok(Self(providers.collect::<Result<_, ConfigurationError>>()?))
    }

    /// The provider of this name.
    pub fn get(&self, name: &str) -> Option<&Provider> {
        self.0.get(name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Provider> {
        self.0.values()
    }

    /// The models with what is known here about reaching them: by which APIs, and whether there is a key.
    ///
    /// # Panics
    /// Never: the names of the models are those they had.
    pub fn apply(&self, registry: &Registry) -> Registry {
        let models: Vec<ModelSpec> = registry
            .iter()
            .cloned()
            .map(|mut model| {
                match self.get(model.provider.as_str()) {
                    Some(provider) => {
                        model.configured &= !matches!(provider.credential, Credential::None);
                        // What the file of models says of one model is closer than what is said of its provider.
                        if model.apis == WireApi::usual(model.provider.as_str()) {
                            model.apis.clone_from(&provider.apis);
                        }
                    }
                    None => model.configured = false,
                }
                model
            })
            .collect();
        let names: Vec<String> = registry.auto_names().map(str::to_owned).collect();
        // Nothing but reachability changed, so the names still belong to one model each.
        Registry::new(models).map_or_else(|_| registry.clone(), |registry| registry.with_auto_names(names))
    }
}

fn provider(
    name: &str,
    entry: ProviderEntry,
    keys: &Keys,
    environment: &impl Fn(&str) -> Option<String>,
) -> Result<Provider, ConfigurationError> {
    let unusable = |cause: String| ConfigurationError::Provider { name: name.to_owned(), cause };
    let url = entry.url.ok_or_else(|| unusable("its `url` is missing in gateway.yaml".to_owned()))?;
    let url = url.trim_end_matches('/').to_owned();
    http_address(&url).map_err(|cause| unusable(format!("its `url` {cause}")))?;
    let from_environment = entry.key_env.as_deref().and_then(environment).filter(|key| !key.is_empty());
    let credential = if let Some(key) = from_environment {
        Credential::Environment(
            secret(&key).ok_or_else(|| unusable("its key has characters no header may have".to_owned()))?,
        )
    } else if let Some(key) = keys.of(name) {
        Credential::File(secret(key).ok_or_else(|| unusable("its key has characters no header may have".to_owned()))?)
    } else if entry.keyless == Some(true) {
        Credential::NotNeeded
    } else {
        Credential::None
    };
    let apis = entry.apis.filter(|apis| !apis.is_empty()).unwrap_or_else(|| WireApi::usual(name));
    Ok(Provider { name: name.to_owned(), url, apis, credential, newer_chat: !OLDER_CHAT.contains(&name) })
}

fn secret(key: &str) -> Option<HeaderSecret> {
    let sensitive = |text: &str| {
        let mut value = HeaderValue::from_str(text).ok()?;
        value.set_sensitive(true);
        Some(value)
    };
    Some(HeaderSecret { plain: sensitive(key.trim())?, bearer: sensitive(&format!("Bearer {}", key.trim()))? })
}

#[cfg(test)]
mod tests {
    use super::{Configuration, Credential, Keys, Providers};
    use crate::configuration::ProviderEntry;

    #[test]
    fn a_key_of_the_environment_makes_the_models_of_its_provider_reachable_and_no_others() {
        let environment = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "sk-secret".to_owned());
        let providers = Providers::new(&Configuration::default(), &Keys::default(), environment).unwrap();
        let registry = providers.apply(&catalogue::load(None).unwrap());
        for model in registry.iter() {
            let reachable = matches!(model.provider.as_str(), "anthropic" | "ollama");
            assert_eq!(model.configured, reachable, "{}", model.id);
        }
        assert!(!format!("{providers:?}").contains("sk-secret"));
    }

    #[test]
    fn a_provider_of_ones_own_needs_an_address_and_nothing_secret_in_it() {
        for (url, complaint) in
            [(None, "missing"), (Some("ftp://x"), "neither"), (Some("http://me:pw@host/v1"), "password")]
        {
            let entry = ProviderEntry { url: url.map(str::to_owned), ..ProviderEntry::default() };
            let mut configuration = Configuration::default();
            configuration.providers.insert("acme".to_owned(), entry);
            let error = Providers::new(&configuration, &Keys::default(), |_| None).unwrap_err().to_string();
            assert!(error.contains("acme") && error.contains(complaint) && !error.contains("pw@"), "{error}");
        }
        let entry = ProviderEntry {
            url: Some("http://localhost:9/v1/".to_owned()),
            keyless: Some(true),
            ..ProviderEntry::default()
        };
        let mut configuration = Configuration::default();
        configuration.providers.insert("acme".to_owned(), entry);
        let providers = Providers::new(&configuration, &Keys::default(), |_| None).unwrap();
        let acme = providers.get("acme").unwrap();
        assert_eq!(acme.url, "http://localhost:9/v1");
        assert!(matches!(acme.credential, Credential::NotNeeded));
    }
}
