//! Models with their properties, and the registry of a user's models.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{Deserialize, Serialize};

use crate::{ModelId, Prices, Provider, Requirement, Tokenizer, WireApi};

/// A class of models by capability and price, from `fast` to `deep` (004 §6.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Low cost and latency, for mechanical work.
    Fast,
    /// For most work.
    Balanced,
    /// Highest capability, for planning and difficult reasoning.
    Deep,
}

impl Tier {
    /// All tiers, in ascending order of capability.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::Deep];

    /// Returns the name of the tier in policies.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Balanced => "balanced",
            Self::Deep => "deep",
        }
    }

    /// Parses the name of a tier; `None` if there is no such tier.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The features of a request that a model supports (004 §4.4). The default is for models that declare none: tools, a
/// system prompt and all settings of thinking, but neither images nor structured output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent yes-or-no events about a model")]
pub struct Capabilities {
    /// Whether the model accepts images.
    pub images: bool,
    /// Whether the model accepts tool definitions.
    pub tools: bool,
    /// Whether the model accepts a system prompt.
    pub system_prompt: bool,
    /// Whether the model supports output that follows a schema.
    pub structured_output: bool,
    /// Whether the model accepts a thinking effort: adaptive thinking, an effort or a thinking level. True in lists of
    /// models recorded before this field existed.
    #[serde(default = "taken")]
    pub effort: bool,
    /// Whether the model accepts a thinking budget in tokens. True in lists of models recorded before this field
    /// existed.
    #[serde(default = "taken")]
    pub thinking_budget: bool,
}

impl Capabilities {
    /// Returns whether the model supports a feature of a request. That is its declared capability for
    /// [`Requirement::Effort`] and [`Requirement::ThinkingBudget`], and true for all others, which depend only on the
    /// API.
    pub const fn takes(self, requirement: Requirement) -> bool {
        match requirement {
            Requirement::Effort => self.effort,
            Requirement::ThinkingBudget => self.thinking_budget,
            _ => true,
        }
    }

    /// Returns whether a request that is converted to `api` can pass a feature on to a model with these capabilities.
    ///
    /// A model without `effort` receives no thinking setting, and then does not think. Gemini models are an exception:
    /// they think by default, and therefore receive [`Requirement::NoThinking`].
    pub const fn is_told(self, requirement: Requirement, api: WireApi) -> bool {
        match requirement {
            Requirement::NoThinking => self.effort || matches!(api, WireApi::Gemini),
            Requirement::MinimalEffort | Requirement::ExtraHighEffort | Requirement::MaxEffort => self.effort,
            _ => true,
        }
    }
}

/// Returns true, the default of capabilities that are missing in older lists of models.
const fn taken() -> bool {
    true
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            images: false,
            tools: true,
            system_prompt: true,
            structured_output: false,
            effort: true,
            thinking_budget: true,
        }
    }
}

/// A model that the user can route to: its names, limits, capabilities and prices. Read from the catalogue and the
/// user's list of models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// Id, `provider:model`.
    pub id: ModelId,
    /// Provider that serves the model.
    pub provider: Provider,
    /// Tier; `None` if the model belongs to none.
    pub tier: Option<Tier>,
    /// Alternative names, unique across the registry and compared case-insensitively.
    pub aliases: Vec<String>,
    /// Date of its release as `YYYY-MM-DD`; `None` if unknown. Lists of models recorded before this field existed have
    /// none.
    #[serde(default)]
    pub released: Option<String>,
    /// Maximum number of tokens of a prompt.
    pub context_window: u64,
    /// Maximum number of output tokens of one response.
    pub max_output: u64,
    /// Supported features.
    pub capabilities: Capabilities,
    /// Family of the tokenizer.
    pub tokenizer: Tokenizer,
    /// Prices; `None` if unknown, in which case costs are unknown as well and never estimated.
    pub prices: Option<Prices>,
    /// Whether the model may delegate work to other models (004 §6.8).
    pub can_delegate: bool,
    /// Whether the user has access to the model: a key, or a running server.
    pub configured: bool,
    /// APIs over which the provider serves the model, the preferred one first. A model without any cannot serve
    /// requests of clients.
    #[serde(default)]
    pub apis: Vec<WireApi>,
}

/// The models of a user, with an index of all their names. Policies, decisions and costs look up models in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registry {
    /// All models, by id.
    models: BTreeMap<ModelId, ModelSpec>,
    /// Ids of models by name in lower case. Names are aliases and the ids themselves.
    names: BTreeMap<String, ModelId>,
    /// Model names with which a client leaves the choice of the model to the policy, in lower case.
    auto_names: BTreeSet<String>,
}

/// Model names with which a client leaves the choice of the model to the policy. The user's list of models can replace
/// them.
pub const AUTO_NAMES: [&str; 2] = ["turnwise", "auto"];

/// An error of creating a registry: an alias of a model is also an alias or the id of another one, and therefore
/// ambiguous.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("alias `{alias}` belongs to both `{first}` and `{second}`: an alias names one model")]
pub struct RegistryError {
    /// The alias.
    pub alias: String,
    /// First model with this alias or id.
    pub first: ModelId,
    /// Second model with the alias.
    pub second: ModelId,
}

impl Registry {
    /// Creates a registry of models. Of several models with the same id, the last one is used.
    ///
    /// # Errors
    /// One [`RegistryError`] for each alias that is also an alias or the id of another model.
    pub fn new(models: impl IntoIterator<Item = ModelSpec>) -> Result<Self, Vec<RegistryError>> {
        let models: BTreeMap<_, _> = models.into_iter().map(|model| (model.id.clone(), model)).collect();
        let mut names: BTreeMap<String, ModelId> =
            models.keys().map(|id| (id.as_str().to_lowercase(), id.clone())).collect();
        let mut errors = Vec::new();
        for model in models.values() {
            for alias in &model.aliases {
                match names.get(&alias.to_lowercase()) {
                    Some(first) if *first != model.id => errors.push(RegistryError {
                        alias: alias.clone(),
                        first: first.clone(),
                        second: model.id.clone(),
                    }),
                    _ => drop(names.insert(alias.to_lowercase(), model.id.clone())),
                }
            }
        }
        let auto_names = AUTO_NAMES.iter().map(|&name| name.to_owned()).collect();
        if errors.is_empty() { Ok(Self { models, names, auto_names }) } else { Err(errors) }
    }

    /// Replaces the model names with which a client leaves the choice of the model to the policy; [`AUTO_NAMES`] by
    /// default. Case-insensitive.
    #[must_use]
    pub fn with_auto_names(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.auto_names = names.into_iter().map(|name| name.to_lowercase()).collect();
        self
    }

    /// Returns whether a model name in a request leaves the choice of the model to the policy. Case-insensitive.
    pub fn is_auto(&self, name: &str) -> bool {
        self.auto_names.contains(&name.to_lowercase())
    }

    /// Returns the model names with which a client leaves the choice of the model to the policy, in lower case.
    pub fn auto_names(&self) -> impl Iterator<Item = &str> {
        self.auto_names.iter().map(String::as_str)
    }

    /// Returns the model with an id; `None` if the registry does not contain it.
    pub fn get(&self, id: &ModelId) -> Option<&ModelSpec> {
        self.models.get(id)
    }

    /// Returns the model with an id or alias, case-insensitively; `None` if the registry has no such name.
    pub fn named(&self, name: &str) -> Option<&ModelSpec> {
        let id = match self.names.get(name) {
            Some(id) => id,
            None => self.names.get(&name.to_lowercase())?,
        };
        self.models.get(id)
    }

    /// Returns all models in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &ModelSpec> {
        self.models.values()
    }

    /// Returns the providers of all models, each once, in the order of their names.
    pub fn providers(&self) -> impl Iterator<Item = &Provider> {
        self.models.values().map(|model| &model.provider).collect::<BTreeSet<_>>().into_iter()
    }

    /// Returns all names with the model they refer to: aliases and ids, in lower case.
    pub fn names(&self) -> impl Iterator<Item = (&str, &ModelId)> {
        self.names.iter().map(|(name, id)| (name.as_str(), id))
    }

    /// Returns the model of a tier for policies that do not name one: the first of [`Registry::models_of_tier`]; `None`
    /// if no model declares the tier.
    pub fn tier(&self, tier: Tier) -> Option<&ModelSpec> {
        self.models_of_tier(tier).into_iter().next()
    }

    /// Returns the models of a tier in the order of preference (decision D44): configured models first, then the newest
    /// release, then the lower input price, then the id. A model without a release date counts as older than any other,
    /// one without prices as more expensive.
    pub fn models_of_tier(&self, tier: Tier) -> Vec<&ModelSpec> {
        let mut models: Vec<_> = self.iter().filter(|model| model.tier == Some(tier)).collect();
        let price = |model: &ModelSpec| model.prices.map_or(u64::MAX, |prices| prices.base.input.0);
        // Dates of one format compare as text. The sort is stable, so equal models stay in the order of their ids.
        models.sort_by_key(|model| (!model.configured, Reverse(model.released.as_deref()), price(model)));
        models
    }
}
